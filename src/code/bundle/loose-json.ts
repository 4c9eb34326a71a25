/** JSON as TypeScript reads it in tsconfig.json: with comments and trailing commas. */

/** A string, also one without an end: so each character is looked at once. */
const STRING = '"(?:[^"\\\\]|\\\\[\\s\\S])*(?:"|$)';
const COMMENTS = new RegExp(`(${STRING})|//[^\\n\\r]*|/\\*[\\s\\S]*?(?:\\*/|$)`, 'g');
const TRAILING_COMMAS = new RegExp(`(${STRING})|,(?=\\s*[}\\]])`, 'g');

/** The value of a text; undefined if it is not JSON. */
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
