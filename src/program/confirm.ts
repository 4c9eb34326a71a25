/** The question before something that cannot be taken back, and the refusal where nobody can be asked. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';

export interface ConfirmFlags {
  yes?: boolean | undefined;
  /** False with --no-input. */
  input?: boolean | undefined;
}

/** Raises usage (2) where the answer can come neither from --yes nor from a person; before any request. `action` is a past participle. */
export function requireConfirmable(action: string, flags: ConfirmFlags, host: Host): void {
  if (flags.yes || (host.canAsk && flags.input !== false)) return;
  throw new CliError('usage', `nothing was ${action}: there is no terminal to ask on, or --no-input forbids it`, {
    hint: 'give --yes to go on without being asked',
  });
}

/** Asks unless --yes is given. Raises usage (2) for any answer but yes. */
export async function confirm(action: string, question: string, flags: ConfirmFlags, host: Host): Promise<void> {
  if (flags.yes) return;
  const answer = await host.ask(`${question} [y/N] `, host.stderr.hasColor);
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) {
    throw new CliError('usage', `nothing was ${action}: the answer was not yes`, {
      hint: 'type the command again and answer y, or give --yes',
    });
  }
}
