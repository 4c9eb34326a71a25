/** Questions on a terminal that can be drawn on: a line to edit, or a list to choose from. */
import { select, text } from '@clack/prompts';
import { CliError } from '../errors.ts';
import { escapeControls } from '../output/escape.ts';
import type { Question } from './host.ts';

/** Where a question is drawn, and what ends it besides an answer. */
interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  signal: AbortSignal;
}

/**
 * The answer, which the question's check lets pass; undefined when the input ends first (Ctrl-D). Raises interrupted
 * for Ctrl-C, Escape and a signal.
 */
export async function promptOnTerminal(
  question: Question,
  { input, output, signal }: Terminal,
): Promise<string | undefined> {
  const ended = new AbortController();
  // After Ctrl-D nothing is read any more, and the question would wait for ever. An answer is there before this runs.
  const endSoon = () => void setImmediate(() => isWaiting && ended.abort());
  let isWaiting = true;
  input.once('pause', endSoon);
  try {
    const answer = await drawPrompt(question, { input, output, signal: AbortSignal.any([signal, ended.signal]) });
    if (typeof answer === 'string') return answer;
    if (ended.signal.aborted) return undefined;
    throw new CliError('interrupted', 'interrupted: nothing was written');
  } finally {
    isWaiting = false;
    input.off('pause', endSoon);
  }
}

const drawPrompt = ({ message, initial, validate, options }: Question, terminal: Terminal): Promise<string | symbol> =>
  options
    ? select({ ...terminal, message, options: [...options], initialValue: initial })
    : text({
        ...terminal,
        message,
        // Shown, and taken by Enter: a text to edit would be drawn as it is.
        placeholder: escapeControls(initial),
        defaultValue: initial,
        validate: (value) => validate(value || initial),
      });
