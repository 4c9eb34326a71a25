/** Types of TypeScript in a list of words. */
import { isName, skipGroup } from './tokens.ts';

/**
 * A type that begins at an index: the index after it, and whether it is nothing else. `string`, `Foo`, `a[]`, and
 * `A | B` are types wherever a type can be; `a`, `1`, and `{ a: 1 }` are more likely values.
 */
export interface TypeSyntax {
  end: number;
  isCertain: boolean;
}

const PRIMITIVE = /^(?:any|bigint|boolean|never|number|object|string|symbol|undefined|unknown|void)$/;
const PREFIX = /^(?:\||&|abstract|asserts|infer|keyof|new|readonly|typeof|unique)$/;
const INFIX = /^(?:\||&|extends|is)$/;
/** Keywords that begin no type, but may follow a colon or a name in broken JavaScript. */
const NO_TYPE =
  /^(?:async|await|break|case|catch|class|const|continue|delete|do|else|export|finally|for|function|if|import|in|instanceof|let|return|super|switch|throw|try|var|while|with|yield)$/;

export const isPrimitive = (word: string | undefined): boolean => PRIMITIVE.test(word ?? '');

/** Reads the type at an index; undefined where none begins. */
export function typeAt(words: readonly string[], start: number): TypeSyntax | undefined {
  let at = start;
  let isCertain = false;
  for (;;) {
    const from = skipPrefixes(words, at);
    isCertain ||= from > at;
    const result = resultAt(words, from);
    if (result !== undefined) {
      at = result;
      continue;
    }
    const part = partAt(words, from);
    if (!part) return undefined;
    isCertain ||= part.isCertain;
    if (!INFIX.test(words[part.end] ?? '')) return { end: part.end, isCertain };
    isCertain = true;
    at = part.end + 1;
  }
}

function skipPrefixes(words: readonly string[], start: number): number {
  let at = start;
  while (PREFIX.test(words[at] ?? '') && isTypeStart(words[at + 1])) at += 1;
  return at;
}

const isTypeStart = (word: string | undefined) => isName(word) || /^['"`\d([{|&<-]/.test(word ?? '');

/** A type without operators before it or behind it. */
function partAt(words: readonly string[], start: number): TypeSyntax | undefined {
  const word = words[start] ?? '';
  if (/^[([{]$/.test(word)) return withSuffixes(words, skipGroup(words, start), false);
  if (/^['"`\d]/.test(word)) return withSuffixes(words, start + 1, false);
  if (!isName(word) || NO_TYPE.test(word)) return undefined;
  let at = start + 1;
  while (words[at] === '.' && isName(words[at + 1])) at += 2;
  const isType = PRIMITIVE.test(word) || /^\p{Lu}/u.test(words[at - 1] ?? '');
  if (words[at] !== '<') return withSuffixes(words, at, isType);
  return withSuffixes(words, skipGroup(words, at), true);
}

/** After `(a: A) =>` or `<T>(a: T) =>`, the index of the type that the function returns; undefined where none begins. */
function resultAt(words: readonly string[], start: number): number | undefined {
  const list = words[start] === '<' ? skipGroup(words, start) : start;
  const end = words[list] === '(' ? skipGroup(words, list) : list;
  return end > list && words[end] === '=>' ? end + 1 : undefined;
}

/** `[]` and `[key]` after a type. */
function withSuffixes(words: readonly string[], start: number, isCertain: boolean): TypeSyntax {
  let at = start;
  let isArray = false;
  while (words[at] === '[') {
    isArray ||= words[at + 1] === ']';
    at = skipGroup(words, at);
  }
  return { end: at, isCertain: isCertain || isArray };
}
