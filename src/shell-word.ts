/** Words for a hint, written so that they can be typed again as they are shown. */

/** A word as a shell takes it for one word, in single quotes where it needs them. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same for a path; one that begins with a hyphen would be taken for a flag. */
export const shellPath = (path: string): string => shellWord(path.startsWith('-') ? `./${path}` : path);
