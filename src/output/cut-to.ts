/** Texts cut to a width of terminal cells. */
import stringWidth from 'string-width';

/** The text, or as many whole characters of it as fit before `…`; what is seen as one character stays whole. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
