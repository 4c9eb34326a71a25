/** Types of TypeScript in a list of words. */
import { isIdentifier, skipGroup } from './tokens.ts';

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
const NON_TYPE_KEYWORDS =
  /^(?:async|await|break|case|catch|class|const|continue|delete|do|else|export|finally|for|function|if|import|in|instanceof|let|return|super|switch|throw|try|var|while|with|yield)$/;

export const isPrimitive = (word: string | undefined): boolean => PRIMITIVE.test(word ?? '');

/** Reads the type at an index; undefined where none begins. */
export function parseType(tokens: readonly string[], start: number): TypeSyntax | undefined {
  let at = start;
  let isCertain = false;
  for (;;) {
    const from = skipPrefixes(tokens, at);
    isCertain ||= from > at;
    const result = findReturnType(tokens, from);
    if (result !== undefined) {
      at = result;
      continue;
    }
    const part = parseTypePart(tokens, from);
    if (!part) return undefined;
    isCertain ||= part.isCertain;
    if (!INFIX.test(tokens[part.end] ?? '')) return { end: part.end, isCertain };
    isCertain = true;
    at = part.end + 1;
  }
}

function skipPrefixes(tokens: readonly string[], start: number): number {
  let at = start;
  while (PREFIX.test(tokens[at] ?? '') && isTypeStart(tokens[at + 1])) at += 1;
  return at;
}

const isTypeStart = (word: string | undefined) => isIdentifier(word) || /^['"`\d([{|&<-]/.test(word ?? '');

/** A type without operators before it or behind it. */
function parseTypePart(tokens: readonly string[], start: number): TypeSyntax | undefined {
  const token = tokens[start] ?? '';
  if (/^[([{]$/.test(token)) return parseSuffixes(tokens, skipGroup(tokens, start), false);
  if (/^['"`\d]/.test(token)) return parseSuffixes(tokens, start + 1, false);
  if (!isIdentifier(token) || NON_TYPE_KEYWORDS.test(token)) return undefined;
  let at = start + 1;
  while (tokens[at] === '.' && isIdentifier(tokens[at + 1])) at += 2;
  const isType = PRIMITIVE.test(token) || /^\p{Lu}/u.test(tokens[at - 1] ?? '');
  if (tokens[at] !== '<') return parseSuffixes(tokens, at, isType);
  return parseSuffixes(tokens, skipGroup(tokens, at), true);
}

/** After `(a: A) =>` or `<T>(a: T) =>`, the index of the type that the function returns; undefined where none begins. */
function findReturnType(tokens: readonly string[], start: number): number | undefined {
  const list = tokens[start] === '<' ? skipGroup(tokens, start) : start;
  const end = tokens[list] === '(' ? skipGroup(tokens, list) : list;
  return end > list && tokens[end] === '=>' ? end + 1 : undefined;
}

/** `[]` and `[key]` after a type. */
function parseSuffixes(tokens: readonly string[], start: number, isCertain: boolean): TypeSyntax {
  let at = start;
  let isArray = false;
  while (tokens[at] === '[') {
    isArray ||= tokens[at + 1] === ']';
    at = skipGroup(tokens, at);
  }
  return { end: at, isCertain: isCertain || isArray };
}
