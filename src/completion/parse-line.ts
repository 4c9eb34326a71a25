/** Converts the words that a shell passes to completion into arguments. Pure. */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof SHELLS)[number];

/**
 * Parses the words up to the cursor; the last one is the current argument, and `fixedPrefix` its start that the shell does
 * not replace.
 */
export function parseLine(shell: Shell, raw: readonly string[]) {
  const joined = shell === 'bash' ? joinWordBreaks(raw) : [...raw];
  const words = shell === 'fish' ? joined : joined.map(unquote);
  const lastWord = words.pop() ?? '';
  // PowerShell passes no empty argument, so its script puts a `=` before the last one.
  const current = shell === 'powershell' ? lastWord.slice(1) : lastWord;
  const last = unquote(raw.at(-1) ?? '');
  const replaced = shell !== 'bash' ? current : /^[=:@]+$/.test(last) ? '' : last;
  return { words, current, fixedPrefix: current.slice(0, current.length - replaced.length) };
}

/** Joins the words that bash splits at `=`, `:`, and `@`. */
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

/** Removes quotes and backslashes. Approximate, but sufficient to recognize flags and values. */
const unquote = (word: string) => word.replace(/\\(.)|["']/g, '$1');
