/** Suggestions for misspelled words. */

/** The optimal string alignment distance: insertions, deletions, substitutions, and swaps of adjacent letters. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  const cell = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  const first = rows[0] ?? [];
  for (let j = 0; j <= b.length; j++) first[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const row = rows[i] ?? [];
    for (let j = 1; j <= b.length; j++) {
      const change = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        cell(i - 1, j) + 1,
        cell(i, j - 1) + 1,
        change,
        swapped ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return cell(a.length, b.length);
}

/** Longer words are not compared: the time is quadratic. */
const MAX_LENGTH = 100;

/** Whether a word may be a typo of a known one: up to a quarter of the letters may differ, and always one. */
export function isLikelyTypo(word: string, known: string): boolean {
  const allowed = Math.max(1, Math.floor(known.length / 4));
  if (Math.abs(word.length - known.length) > allowed || word.length > MAX_LENGTH) return false;
  return editDistance(word.toLowerCase(), known.toLowerCase()) <= allowed;
}

/** The most similar known word; undefined if none is similar. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .filter((candidate) => isLikelyTypo(word, candidate))
    .sort((a, b) => editDistance(word, a) - editDistance(word, b));
  return best;
}
