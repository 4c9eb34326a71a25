/** Parses JSON with comments and trailing commas, as in tsconfig.json. */

/** A string, also an unterminated one, so that matching is linear. */
const STRING = '"(?:[^"\\\\]|\\\\[\\s\\S])*(?:"|$)';
const COMMENTS = new RegExp(`(${STRING})|//[^\\n\\r]*|/\\*[\\s\\S]*?(?:\\*/|$)`, 'g');
const TRAILING_COMMAS = new RegExp(`(${STRING})|,(?=\\s*[}\\]])`, 'g');

/** Undefined if the text is not JSON. */
export function parseLooseJson(text: string): unknown {
  const keep = (_: string, string: string | undefined) => string ?? ' ';
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(COMMENTS, keep)
    .replace(TRAILING_COMMAS, keep);
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}
