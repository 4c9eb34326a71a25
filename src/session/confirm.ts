/** The prompt before a destructive action. */
import { CancelledError, CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { escapeInvisible } from '../output/escape.ts';
import { wrapMessage } from '../output/wrap-message.ts';
import type { Connection } from './connection.ts';
import type { Session, WriteSession } from './session.ts';

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

/** Raises usage (2) if the answer is not yes. */
export async function confirm(question: string, host: Host): Promise<void> {
  const answer = await host.ask(wrapMessage(`${question} [y/N] `, host.stderr), host.stderr.hasColor);
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CancelledError();
}

/** Lists the formulas on stderr, and prompts: `Delete these 2 formulas?`; with a remark about one, or about several. */
export async function confirmFormulas(
  verb: string,
  lines: readonly string[],
  host: Host,
  [ofOne, ofSeveral]: readonly [string, string] = ['', ''],
): Promise<void> {
  for (const line of lines) host.stderr.write(`  ${escapeInvisible(line)}\n`);
  const formulas = lines.length === 1 ? `this formula${ofOne}` : `these ${lines.length} formulas${ofSeveral}`;
  await confirm(`${verb} ${formulas}?`, host);
}

interface ConfirmedWrite<Preview, Result> {
  /** Finds out what would be written, and prompts for it. */
  confirm: ((connection: Connection) => Promise<Preview>) | undefined;
  /** Finds it out again, and writes, with the write lock. */
  apply(writing: WriteSession, preview: Preview | undefined): Promise<Result>;
}

/** Prompts without the write lock, so that other commands do not wait for the answer. */
export async function confirmAndWrite<Preview, Result>(
  session: Session,
  { confirm: preview, apply }: ConfirmedWrite<Preview, Result>,
): Promise<Result> {
  const confirmed = await preview?.(await session.connect());
  return session.write((writing) => apply(writing, confirmed));
}
