/** Formats the error that ends a command. */
import { CancelledError, type CliError } from '../errors.ts';
import type { OutputStream } from '../host/host.ts';
import { escapeControlsByLine } from './escape.ts';
import { createStyle } from './style.ts';
import { formatHint, wrapMessage } from './wrap-message.ts';

/** The error and its hint, wrapped on a terminal; a cancellation is no error and has its message alone. */
export function formatError(
  error: CliError,
  stream: Pick<OutputStream, 'hasColor' | 'isTerminal' | 'columns'>,
): string {
  if (error instanceof CancelledError) return `${error.message}\n`;
  const style = createStyle(stream);
  const message = wrapMessage(`error: ${escapeControlsByLine(error.message)}`, stream);
  const hint = error.hint ? wrapMessage(`hint: ${formatHint(error.hint)}`, stream) : '';
  return [
    `${style.error('error:')}${message.slice('error:'.length)}\n`,
    hint && `${style.strong('hint:')}${hint.slice('hint:'.length)}\n`,
  ].join('');
}
