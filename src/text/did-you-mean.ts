/** How far two words are apart, and which known word a misspelt one is likely to be. */

/** The number of letters to add, drop, change or swap with a neighbour to make one word the other (optimal alignment). */
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

/** Nobody mistypes longer words, and the distance takes the product of both lengths. */
const MAX_LENGTH = 100;

/** True where one word may be meant for the other: a quarter of its letters may be wrong, and one always. */
export function isLikelyTypo(word: string, known: string): boolean {
  const allowed = Math.max(1, Math.floor(known.length / 4));
  if (Math.abs(word.length - known.length) > allowed || word.length > MAX_LENGTH) return false;
  return editDistance(word.toLowerCase(), known.toLowerCase()) <= allowed;
}

/** The word of a list that was likely meant, or undefined where none is close. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .filter((candidate) => isLikelyTypo(word, candidate))
    .sort((a, b) => editDistance(word, a) - editDistance(word, b));
  return best;
}
