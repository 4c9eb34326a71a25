/** Texts cut to a width of terminal cells. */
import stringWidth from 'string-width';
import { characters } from './graphemes.ts';

/** The text, or as many whole characters of it as fit before `…`; what is seen as one character stays whole. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = '';
  for (const character of characters(text)) {
    if (stringWidth(cut + character) > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}
