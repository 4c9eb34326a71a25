/** Asks a person for what was not given by flags: drawn where the terminal can be drawn on, else line by line. */
import { CliError } from '../errors.ts';
import type { Host, Question } from '../host/host.ts';
import { visible } from '../output/escape.ts';

/** The answer, which the question's check lets pass. Raises usage (2) when the input ends, interrupted (130) by Ctrl-C. */
export async function asked(question: Question, host: Host): Promise<string> {
  if (host.canDraw && host.stderr.hasColour) return (await host.prompt(question)) ?? endedEarly();
  const { message, initial, check, options = [] } = question;
  for (const { value, hint } of options) host.stderr.write(`  ${value}: ${hint}\n`);
  for (;;) {
    const typed = (await host.ask(`${message} [${visible(initial)}]: `, false)) ?? endedEarly();
    const answer = typed.trim() === '' ? initial : typed.trim();
    const wrong = check(answer);
    if (wrong === undefined) return answer;
    host.stderr.write(`${wrong}\n`);
  }
}

function endedEarly(): never {
  throw new CliError('usage', 'the input ended before every question was answered; nothing was written', {
    hint: 'give the answers as flags, or --no-input to take what is proposed',
  });
}
