/** Questions on a terminal that can be drawn on: a line to edit, or a list to choose from. */
import { isCancel, select, text } from '@clack/prompts';
import { CliError } from './errors.ts';
import type { Question } from './host.ts';
import { visible } from './output/escape.ts';

/** Where a question is drawn, and what ends it besides an answer. */
interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  signal: AbortSignal;
}

/** The answer, which the question's check lets pass. Raises interrupted where there is none (Ctrl-C, Escape, a signal). */
export async function drawn(question: Question, terminal: Terminal): Promise<string> {
  const { message, initial, check, options } = question;
  const answer = options
    ? await select({ ...terminal, message, options: [...options], initialValue: initial })
    : await text({
        ...terminal,
        message,
        // Shown, and taken by Enter: a text to edit would be drawn as it is.
        placeholder: visible(initial),
        defaultValue: initial,
        validate: (value) => check(value || initial),
      });
  if (isCancel(answer)) throw new CliError('interrupted', 'interrupted: nothing was written');
  return answer;
}
