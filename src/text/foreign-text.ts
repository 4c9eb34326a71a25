/** Detects text files of another kind, for which a syntax error would not help. */

const FORMATS: readonly [RegExp, string][] = [
  [/^version https:\/\/git-lfs\.github\.com\/spec\//, 'a Git LFS pointer (run: git lfs pull)'],
  [/^\.{1,2}\/[\w@./-]+$/, 'a symbolic link that Git checked out as text (set core.symlinks to true)'],
  [/^\s*```/, 'a Markdown code block (remove the lines that start with ```)'],
];

/** A description of the file; undefined for other texts. */
export const identifyForeignText = (text: string): string | undefined =>
  FORMATS.find(([pattern]) => pattern.test(text))?.[1];
