/** Truncates text to a width in terminal cells. */
import stringWidth from 'string-width';
import { splitGraphemes } from './graphemes.ts';

/** The text, or as many of its graphemes as fit before `…`. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let truncated = '';
  for (const character of splitGraphemes(text)) {
    if (stringWidth(truncated + character) > width - 1) break;
    truncated += character;
  }
  return `${truncated}…`;
}
