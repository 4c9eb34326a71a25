/** Asks a person for what was not given by flags: drawn where the terminal can be drawn on, else line by line. */
import { CliError } from '../errors.ts';
import type { Host, Question } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';

/** The answer, which the question's check lets pass. Raises usage (2) when the input ends, interrupted (130) by Ctrl-C. */
export async function promptFor(question: Question, host: Host): Promise<string> {
  if (host.canDrawPrompt && host.stderr.hasColor) return (await host.prompt(question)) ?? failInputEnded();
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
  throw new CliError('usage', 'the input ended before every question was answered; nothing was written', {
    hint: 'give the answers as flags, or --no-input to take what is proposed',
  });
}
