/** What people see as the characters of a text. */

/** To find the next character takes V8 the longer, the longer the text is. */
const WINDOW_LENGTH = 512;

/** The characters of a text, one by one, in time that grows with its length alone. */
export function* splitGraphemes(text: string): Generator<string> {
  const segmenter = new Intl.Segmenter();
  let rest = text;
  while (rest !== '') {
    // Half of a pair of surrogates would be a character of its own.
    const window = rest.slice(0, WINDOW_LENGTH).replace(/[\ud800-\udbff]$/, '') || rest.slice(0, WINDOW_LENGTH);
    const found = [...segmenter.segment(window)].map(({ segment }) => segment);
    // The last may go on behind the window.
    if (rest.length > window.length && found.length > 1) found.pop();
    yield* found;
    rest = rest.slice(found.join('').length);
  }
}
