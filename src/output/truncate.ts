/** Texts cut to a width of terminal cells. */
import stringWidth from 'string-width';
import { splitGraphemes } from './graphemes.ts';

/** The text, or as many whole characters of it as fit before `…`; what is seen as one character stays whole. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let truncated = '';
  for (const character of splitGraphemes(text)) {
    if (stringWidth(truncated + character) > width - 1) break;
    truncated += character;
  }
  return `${truncated}…`;
}
