/** Code as a list of words, without parsing it: for text that no parser accepts. */

/** Enough for any list of parameters, and a bound for what one pass costs. */
const MAX_CHARACTERS = 20_000;

const WORD =
  /\s+|\/\/.*|\/\*[\s\S]*?\*\/|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*|\d[\w.]*|=>|\.\.\.|\?\.|[=!]==?|[\s\S])/guy;

/** Names, numbers, strings, and signs from an offset on; comments are left out. `>>` is two words, as in `A<B<C>>`. */
export function wordsFrom(text: string, offset: number): string[] {
  return [...text.slice(offset, offset + MAX_CHARACTERS).matchAll(WORD)].flatMap(([, word]) => word ?? []);
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** The index after the group that opens at `start`; the number of words where it is not closed. */
export function skipGroup(words: readonly string[], start: number): number {
  const open = words[start] ?? '';
  const close = PAIRS[open];
  let depth = 0;
  for (let i = start; i < words.length; i++) {
    if (words[i] === open) depth += 1;
    else if (words[i] === close && --depth === 0) return i + 1;
  }
  return words.length;
}

/** The index after the bracket that closes the group in which `start` is; the number of words where there is none. */
export function skipToEnd(words: readonly string[], start: number): number {
  let depth = 0;
  for (let i = start; i < words.length; i++) {
    if (/^[([{]$/.test(words[i] ?? '')) depth += 1;
    else if (/^[)\]}]$/.test(words[i] ?? '') && --depth < 0) return i + 1;
  }
  return words.length;
}

/** The index of the bracket that is open at the end of the words; -1 for none. */
export function openBracket(words: readonly string[]): number {
  let depth = 0;
  for (let i = words.length - 1; i >= 0; i--) {
    if (/^[)\]}]$/.test(words[i] ?? '')) depth += 1;
    else if (/^(?:[([{]|\$\{)$/.test(words[i] ?? '') && --depth < 0) return i;
  }
  return -1;
}

/** True for an identifier, keywords included. */
export const isName = (word: string | undefined): boolean => word !== undefined && /^[\p{ID_Start}$_]/u.test(word);
