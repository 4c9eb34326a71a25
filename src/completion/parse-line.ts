/** The words of a command line as a shell hands them to completion, made into those that the program would get. Pure. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** What has been typed: the words that stand, the one that is being typed, and how much of that the shell will keep. */
export interface ParsedLine {
  words: readonly string[];
  current: string;
  /** The beginning of `current` that is no part of the word which the shell replaces. */
  fixedPrefix: string;
}

/** The words up to the cursor, the last of them unfinished. */
export function parseLine(shell: Shell, raw: readonly string[]): ParsedLine {
  const joined = shell === 'bash' ? joinWordBreaks(raw) : [...raw];
  const words = shell === 'fish' ? joined : joined.map(unquote);
  const current = words.pop() ?? '';
  const last = unquote(raw.at(-1) ?? '');
  const replaced = shell !== 'bash' ? current : /^[=:@]+$/.test(last) ? '' : last;
  return { words, current, fixedPrefix: current.slice(0, current.length - replaced.length) };
}

/** bash breaks words at `=`, `:` and `@`, and makes words of these; they belong to what stands around them. */
function joinWordBreaks(raw: readonly string[]): string[] {
  const words: string[] = [];
  let isOpen = false;
  for (const word of raw) {
    const isBreak = /^[=:@]+$/.test(word);
    if (words.length > 0 && (isOpen || (isBreak && !word.startsWith('@')))) words[words.length - 1] += word;
    else words.push(word);
    isOpen = isBreak;
  }
  return words;
}

/** A word without the quotes and backslashes that hold it together; good enough to know a flag or a value by. */
const unquote = (word: string) => word.replace(/\\(.)|["']/g, '$1');
