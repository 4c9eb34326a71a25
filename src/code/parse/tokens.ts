/** Code as a list of words, without parsing it: for text that no parser accepts. */

/** Enough for any list of parameters, and a bound for what one pass costs. */
const MAX_TOKENIZED_CHARACTERS = 20_000;

const TOKEN =
  /\s+|\/\/.*|\/\*[\s\S]*?\*\/|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*|\d[\w.]*|=>|\.\.\.|\?\.|[=!]==?|[\s\S])/guy;

/** Names, numbers, strings, and signs from an offset on; comments are left out. `>>` is two words, as in `A<B<C>>`. */
export function tokenize(text: string, offset: number): string[] {
  return [...text.slice(offset, offset + MAX_TOKENIZED_CHARACTERS).matchAll(TOKEN)].flatMap(([, token]) => token ?? []);
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** The index after the group that opens at `start`; the number of words where it is not closed. */
export function skipGroup(tokens: readonly string[], start: number): number {
  const open = tokens[start] ?? '';
  const close = PAIRS[open];
  let depth = 0;
  for (let i = start; i < tokens.length; i++) {
    if (tokens[i] === open) depth += 1;
    else if (tokens[i] === close && --depth === 0) return i + 1;
  }
  return tokens.length;
}

/** The index after the bracket that closes the group in which `start` is; the number of words where there is none. */
export function skipToEnd(tokens: readonly string[], start: number): number {
  let depth = 0;
  for (let i = start; i < tokens.length; i++) {
    if (/^[([{]$/.test(tokens[i] ?? '')) depth += 1;
    else if (/^[)\]}]$/.test(tokens[i] ?? '') && --depth < 0) return i + 1;
  }
  return tokens.length;
}

/** The index of the bracket that is open at the end of the words; -1 for none. */
export function findOpenBracket(tokens: readonly string[]): number {
  let depth = 0;
  for (let i = tokens.length - 1; i >= 0; i--) {
    if (/^[)\]}]$/.test(tokens[i] ?? '')) depth += 1;
    else if (/^(?:[([{]|\$\{)$/.test(tokens[i] ?? '') && --depth < 0) return i;
  }
  return -1;
}

/** True for an identifier, keywords included. */
export const isIdentifier = (token: string | undefined): boolean =>
  token !== undefined && /^[\p{ID_Start}$_]/u.test(token);
