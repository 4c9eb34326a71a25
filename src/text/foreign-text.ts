/** Names what a text file is instead of what it should be, since the fix is not in the file. */

const FORMATS: readonly [RegExp, string][] = [
  [/^version https:\/\/git-lfs\.github\.com\/spec\//, 'a Git LFS pointer (run: git lfs pull)'],
  [/^\.{1,2}\/[\w@./-]+$/, 'the target of a symbolic link that Git wrote as text (set core.symlinks to true)'],
  [/^\s*```/, 'a Markdown code block (remove the lines that begin with ```)'],
];

/** Undefined for a text that may be what it should be. */
export const identifyForeignText = (text: string): string | undefined =>
  FORMATS.find(([pattern]) => pattern.test(text))?.[1];
