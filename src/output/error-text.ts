/** Formats the error that ends a command. */
import { CancelledError, type CliError } from '../errors.ts';
import { formatHint } from './error-lines.ts';
import { escapeControlsByLine } from './escape.ts';
import { createStyle } from './style.ts';

/** The error and its hint; a cancellation is no error and has its message alone. */
export function formatError(error: CliError, stream: { hasColor: boolean }): string {
  if (error instanceof CancelledError) return `${error.message}\n`;
  const style = createStyle(stream);
  const hint = error.hint ? `${style.strong('hint:')} ${formatHint(error.hint)}\n` : '';
  return `${style.error('error:')} ${escapeControlsByLine(error.message)}\n${hint}`;
}
