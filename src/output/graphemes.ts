/** Splits text into grapheme clusters. */

/** In UTF-16 units. The time that V8 takes per grapheme grows with the length of the text. */
const WINDOW_LENGTH = 512;

/** The graphemes of a text, in linear time. */
export function* splitGraphemes(text: string): Generator<string> {
  const segmenter = new Intl.Segmenter();
  let rest = text;
  while (rest !== '') {
    // Never ends inside a surrogate pair.
    const window = rest.slice(0, WINDOW_LENGTH).replace(/[\ud800-\udbff]$/, '') || rest.slice(0, WINDOW_LENGTH);
    const found = [...segmenter.segment(window)].map(({ segment }) => segment);
    // The last grapheme may continue after the window.
    if (rest.length > window.length && found.length > 1) found.pop();
    yield* found;
    rest = rest.slice(found.join('').length);
  }
}
