/** Formats errors without colors, so that nothing needs to be loaded. */
import type { CliError } from '../errors.ts';
import { escapeControlsByLine } from './escape.ts';

/** A hint after `hint: `, with further lines indented. */
export const formatHint = (hint: string): string => escapeControlsByLine(hint).replaceAll('\n', '\n      ');

/** The errors of several items; a hint that several of them have is printed once, after the last. */
export function formatErrors(errors: readonly CliError[]): string[] {
  const last = new Map(errors.map((error) => [error.hint, error]));
  return errors.flatMap((error) => [
    `error: ${escapeControlsByLine(error.message)}`,
    ...(error.hint && last.get(error.hint) === error ? [`hint: ${formatHint(error.hint)}`] : []),
  ]);
}
