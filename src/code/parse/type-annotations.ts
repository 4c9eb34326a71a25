/** Type annotations among the words around a syntax error: `let a: T`, `(a?: T) =>`, `f(): T {`, `class A { a: T; }`. */

import { findOpenBracket, isIdentifier, skipToEnd } from './tokens.ts';
import { isPrimitive, parseType, type TypeSyntax } from './type-syntax.ts';

type Tokens = readonly string[];

/** True where the words before and after the error are those of an annotation. */
export const isAnnotation = (before: Tokens, after: Tokens): boolean =>
  isTyped(before, after) || isOptional(before, after);

export const isVariableKeyword = (word = ''): boolean => /^(?:const|let|var)$/.test(word);
const isStatementKeyword = (word = '') => /^(?:for|if|switch|while|with)$/.test(word);
const startsBody = (word = '') => /^(?:=>|\{)$/.test(word);
const endsParameter = (word = '') => /^[,)=]$/.test(word);

/** A colon and a type. */
function isTyped(before: Tokens, after: Tokens): boolean {
  const colon = /^[?!]$/.test(after[0] ?? '') ? 1 : 0;
  const type = after[colon] === ':' ? parseType(after, colon + 1) : undefined;
  if (!type) return false;
  const [earlier, last = ''] = before.slice(-2);
  if (last === ')') return startsBody(after[type.end]) && !isStatementKeyword(getTokenBeforeGroup(before));
  if (!isIdentifier(last)) return /^[}\]?]$/.test(last) && isTypedInGroup(before, after, type);
  return isVariableKeyword(earlier) ? isTypedVariable(before, after, type) : isTypedInGroup(before, after, type);
}

function isTypedVariable(before: Tokens, after: Tokens, { end, isCertain }: TypeSyntax): boolean {
  // A loop of other languages: `for (let a: list)`.
  if (isStatementKeyword(before.at(-4))) return false;
  return after[end] === '=' || (isCertain && before.at(-2) !== 'const');
}

function isTypedInGroup(before: Tokens, after: Tokens, type: TypeSyntax): boolean {
  const open = findOpenBracket(before);
  if (before[open] === '(') return isParameter(before[open - 1], after, type.end);
  if (before[open] === '[') return after[type.end] === ']' && after[type.end + 1] === ':';
  if (isInClass(before)) return isField(after, type);
  return after[type.end] === '=' && isVariableKeyword(getTokenBeforeGroup(before));
}

/** In parentheses that are those of a function: `head` is the word before them. */
function isParameter(head: string | undefined, after: Tokens, end: number): boolean {
  if (head === 'catch') return isPrimitive(after[1]);
  if (isStatementKeyword(head) || !endsParameter(after[end])) return false;
  const rest = skipToEnd(after, end);
  if (startsBody(after[rest])) return true;
  const result = after[rest] === ':' ? parseType(after, rest + 1) : undefined;
  return result !== undefined && /^(?:=>|[{;])$/.test(after[result.end] ?? '');
}

/** A comma after it is that of an object literal. */
function isField(after: Tokens, { end, isCertain }: TypeSyntax): boolean {
  if (after[end] === ',') return false;
  return isCertain || after[end] === '=' || (after[end] === ';' && isIdentifier(after[end - 1]));
}

/** `a?` in parameters, `a?()` in a class. */
function isOptional(before: Tokens, after: Tokens): boolean {
  const open = findOpenBracket(before);
  const isInParentheses = before[open] === '(';
  // Of the parameters of an arrow function, the parser makes a condition first.
  if (before.at(-1) === '?')
    return isIdentifier(before.at(-2)) && /^[,)]$/.test(after[0] ?? '') && isInParentheses && isArrow(after);
  if (after[0] !== '?' || !isIdentifier(before.at(-1))) return false;
  if (after[1] === '(') return isInClass(before);
  return endsParameter(after[1]) && isInParentheses && before.slice(Math.max(0, open - 3), open).includes('function');
}

const isArrow = (after: Tokens) => after[skipToEnd(after, 0)] === '=>';

/** True where the last open brace is that of a class. */
export function isInClass(before: Tokens): boolean {
  const open = findOpenBracket(before);
  if (before[open] !== '{') return false;
  const heading = before.slice(Math.max(0, open - 40), open);
  return heading.slice(heading.findLastIndex((word) => /^[;{}=]$/.test(word)) + 1).includes('class');
}

/** The word before the group that ends the words. */
const getTokenBeforeGroup = (tokens: Tokens): string | undefined => tokens[findOpenBracket(tokens.slice(0, -1)) - 1];
