/** An error as people read it. */
import type { CliError } from '../errors.ts';
import { escapeControls, escapeControlsByLine } from './escape.ts';
import { createStyle } from './style.ts';

/** What happened, and what to do next, a line each. */
export function formatError(error: CliError, stream: { hasColor: boolean }): string {
  const style = createStyle(stream);
  const hint = error.hint ? `${style.strong('hint:')} ${escapeControls(error.hint)}\n` : '';
  return `${style.error('error:')} ${escapeControlsByLine(error.message)}\n${hint}`;
}
