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

/** The same with `…` in the middle: of a path, the first folders and the last one tell the most. */
export function truncateMiddle(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const head = truncate(text, Math.ceil(width / 2));
  const graphemes = [...splitGraphemes(text)];
  let tail = '';
  for (let last = graphemes.pop(); last && stringWidth(head + last + tail) <= width; last = graphemes.pop())
    tail = last + tail;
  return head + tail;
}
