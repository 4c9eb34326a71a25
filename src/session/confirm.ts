/** The prompt before a destructive action. */
import { CancelledError, CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { wrapMessage } from '../output/wrap-message.ts';

export interface ConfirmFlags {
  yes?: boolean | undefined;
  /** False with --no-input. */
  input?: boolean | undefined;
}

/** Raises usage (2) without --yes if a prompt is not possible. Call before any request. `action` is a past participle. */
export function requireConfirmable(action: string, flags: ConfirmFlags, host: Host): void {
  if (flags.yes || (host.canAsk && flags.input !== false)) return;
  throw new CliError('usage', `cannot prompt for confirmation (no terminal, or --no-input); nothing was ${action}`, {
    hint: 'Pass --yes to skip the prompt.',
  });
}

/** Prompts, unless --yes is set. Raises usage (2) if the answer is not yes. */
export async function confirm(question: string, flags: ConfirmFlags, host: Host): Promise<void> {
  if (flags.yes) return;
  const answer = await host.ask(wrapMessage(`${question} [y/N] `, host.stderr), host.stderr.hasColor);
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CancelledError();
}
