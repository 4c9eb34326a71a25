/** Interactive prompts on a terminal: an editable line, or a list. */
import { select, text } from '@clack/prompts';
import { CliError } from '../errors.ts';
import type { Question } from './host.ts';

interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  signal: AbortSignal;
}

/**
 * Returns a valid answer; undefined at the end of input (Ctrl-D). Raises interrupted for Ctrl-C, Escape, and a signal.
 */
export async function promptOnTerminal(question: Question, { input, output, signal }: Terminal) {
  const ended = new AbortController();
  // After Ctrl-D the prompt would wait forever. After an answer, `isWaiting` is already false.
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

const drawPrompt = (
  { message, initial, placeholder = initial, validate, options }: Question,
  terminal: Terminal,
): Promise<string | symbol> =>
  options
    ? select({ ...terminal, message, options: toLabeled(options), initialValue: initial })
    : text({
        ...terminal,
        message,
        placeholder,
        defaultValue: initial,
        validate: (value) => validate(value || initial),
      });

/** The descriptions are in the labels, because hints are shown for the current option only. */
function toLabeled(options: NonNullable<Question['options']>) {
  const width = Math.max(...options.map(({ value }) => value.length));
  return options.map(({ value, hint }) => ({ value, label: `${value.padEnd(width)}  ${hint}` }));
}
