/** Prints the errors of the items of a command, such as the formulas of a push. */
import type { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { escapeControlsByLine } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import { formatHint, wrapMessage } from '../output/wrap-message.ts';
import type { Session } from './session.ts';

export const listErrors = (results: readonly { error?: CliError | undefined }[]): CliError[] =>
  results.flatMap(({ error }) => error ?? []);

/** Prints the errors without their hints, which `printHints` prints after the summary. */
export function printErrors(errors: readonly CliError[], { stderr }: Pick<Host, 'stderr'>): void {
  for (const { message } of errors) stderr.write(`${wrapMessage(`error: ${escapeControlsByLine(message)}`, stderr)}\n`);
}

/** Prints each hint once, however many items have it. */
export function printHints(errors: readonly CliError[], { stderr }: Pick<Host, 'stderr'>): void {
  for (const hint of new Set(errors.flatMap((error) => error.hint ?? [])))
    stderr.write(`${wrapMessage(`hint: ${formatHint(hint)}`, stderr)}\n`);
}

/** Prints a result in the order of all commands: errors, the table, the lines of the summary, then hints. */
export async function printResult(
  view: View,
  errors: readonly CliError[],
  summary: readonly string[],
  { host, print, note }: Pick<Session, 'host' | 'print' | 'note'>,
): Promise<void> {
  printErrors(errors, host);
  await print(view);
  summary.forEach(note);
  printHints(errors, host);
}
