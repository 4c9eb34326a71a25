/** Prompts for values that no flag sets: interactively on a capable terminal, otherwise line by line. */
import { CliError } from '../errors.ts';
import type { Host, Question } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';

/** Returns a valid answer. Raises usage (2) at the end of input, and interrupted (130) on Ctrl-C. */
export async function promptFor(question: Question, host: Host): Promise<string> {
  if (host.canDrawPrompt && host.stderr.hasColor)
    return (await host.prompt({ ...question, placeholder: escapeControls(question.initial) })) ?? failInputEnded();
  const { message, initial, validate, options = [] } = question;
  for (const { value, hint } of options) host.stderr.write(`  ${value}: ${hint}\n`);
  for (;;) {
    const input = (await host.ask(`${message} [${escapeControls(initial)}]: `, false)) ?? failInputEnded();
    const answer = input.trim() === '' ? initial : input.trim();
    const problem = validate(answer);
    if (problem === undefined) return answer;
    host.stderr.write(`${problem}\n`);
  }
}

function failInputEnded(): never {
  throw new CliError('usage', 'the input ended before the last prompt; nothing was written', {
    hint: 'Set the values with flags, or pass --no-input to use the defaults.',
  });
}
