/** An error as people read it. */
import type { CliError } from '../errors.ts';
import { visible, visibleLines } from './escape.ts';
import { styleOf } from './style.ts';

/** What happened, and what to do next, a line each. */
export function errorText(error: CliError, sink: { hasColour: boolean }): string {
  const style = styleOf(sink);
  const hint = error.hint ? `${style.strong('hint:')} ${visible(error.hint)}\n` : '';
  return `${style.error('error:')} ${visibleLines(error.message)}\n${hint}`;
}
