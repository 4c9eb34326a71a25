/** Tells TypeScript from JavaScript that is broken, by the words around the first syntax error. */

import { findOpenBracket, isIdentifier, skipGroup, tokenize } from './tokens.ts';
import { isAnnotation, isInClass, isVariableKeyword } from './type-annotations.ts';
import { isPrimitive, parseType } from './type-syntax.ts';

/** Where a parser gave up: an offset of the text, and the offsets (start, end, start, …) of the tokens before it. */
export interface SyntaxFailure {
  text: string;
  offset: number;
  tokens: readonly number[];
}

/** The words on both sides of the failure. */
interface FailureContext {
  before: readonly string[];
  after: readonly string[];
  /** True where no space is before the failure. */
  isAdjacent: boolean;
  /** A piece of the text around it, and where the failure is in that. */
  near: string;
  nearOffset: number;
}

/** Enough for the list of parameters or the class in which the failure is. */
const MAX_TOKENS = 4000;
/** Enough for a call with type arguments. */
const CONTEXT_CHARACTERS = 200;

/** True where the words around the failure are TypeScript; false where they may be a mistake in JavaScript. */
export function looksLikeTypeScript(failure: SyntaxFailure): boolean {
  const context = readFailureContext(failure);
  return TYPESCRIPT_SIGNS.some((sign) => sign(context));
}

function readFailureContext({ text, offset, tokens }: SyntaxFailure): FailureContext {
  const before: string[] = [];
  let lastEnd = 0;
  for (let i = Math.max(0, tokens.length - 2 * MAX_TOKENS); i < tokens.length; i += 2) {
    const [start = 0, end = 0] = tokens.slice(i, i + 2);
    if (end > offset) break;
    before.push(text.slice(start, end));
    lastEnd = end;
  }
  const nearStart = Math.max(0, offset - CONTEXT_CHARACTERS);
  return {
    before,
    after: tokenize(text, offset),
    isAdjacent: lastEnd === offset,
    near: text.slice(nearStart, offset + CONTEXT_CHARACTERS),
    nearOffset: offset - nearStart,
  };
}

const createWordTest = (words: string) => {
  const known = new Set(words.split(' '));
  return (word: string | undefined) => word !== undefined && known.has(word);
};

const isImportOrExport = createWordTest('import export');
const isModifier = createWordTest('abstract declare override private protected public readonly');
const isDeclarable = createWordTest(
  'abstract async class const enum function global interface let module namespace type var',
);
const followsNonNull = createWordTest('. [ ) , ; } ] ?. : as');

/** `interface A {`, `type A =`, `enum A {`, `namespace A {`, `declare const`, `abstract class`, `export type`. */
function isDeclaration({ before, after }: FailureContext): boolean {
  // In strict code the keyword is refused, otherwise the name after it.
  const words = [...before.slice(-2), ...after.slice(0, 3)];
  return [words.length - 4, words.length - 3].some((at) => isDeclarationAt(words, at));
}

function isDeclarationAt(words: readonly string[], at: number): boolean {
  const [earlier, keyword, name = '', next = ''] = [words[at - 1], ...words.slice(Math.max(0, at), at + 3)];
  if (earlier === '.' || earlier === ',') return false;
  const isNamed = isIdentifier(name);
  switch (keyword) {
    case 'interface':
      return isNamed && /^(?:[{<]|extends)$/.test(next);
    case 'type':
      return isNamed && /^[=<]$/.test(next) && !isVariableKeyword(earlier);
    case 'enum':
      return isNamed && next === '{';
    case 'namespace':
      return isNamed && /^[{.]$/.test(next);
    case 'module':
      return next === '{';
    case 'declare':
      return isDeclarable(name);
    case 'abstract':
      return name === 'class';
    case 'export':
      return name === 'type' && /^[{*]$/.test(next);
    default:
      return false;
  }
}

/** `import type A from`, `import { type A }`, `import a = require(…)`. */
function isImport({ before, after }: FailureContext): boolean {
  const [earlier, last] = before.slice(-2);
  if (last === 'type' && /^(?:import|[{,])$/.test(earlier ?? '') && isInNameList(before))
    return isIdentifier(after[0]) || /^[{*]$/.test(after[0] ?? '');
  return earlier === 'import' && isIdentifier(last) && after[0] === '=' && after[1] === 'require';
}

/** `private a`, in a class or in the parameters of its constructor. */
function hasModifier({ before, after }: FailureContext): boolean {
  const isInFront = isModifier(before.at(-1));
  if (!isIdentifier(after[isInFront ? 0 : 1]) || !(isInFront || isModifier(after[0]))) return false;
  return isInClass(before) || before[findOpenBracket(before) - 1] === 'constructor';
}

/** `function f(this: T)` */
const hasThisParameter = ({ before, after }: FailureContext): boolean =>
  after[0] === 'this' && after[1] === ':' && before.at(-1) === '(';

/** True in `import a` and `export { a`; not in `export default a`. */
function isInNameList(before: readonly string[]): boolean {
  const names = before.slice(before.findLastIndex(isImportOrExport));
  return (
    isImportOrExport(names[0]) &&
    names.every((word) => (isIdentifier(word) || /^[*,{'"]/.test(word)) && word !== 'default')
  );
}

/** `a as T`, `a satisfies T` */
function isAsserted({ before, after }: FailureContext): boolean {
  if (after[0] !== 'as' && after[0] !== 'satisfies') return false;
  const [third, earlier, last = ''] = [before.at(-3), before.at(-2), before.at(-1)];
  if (!(isIdentifier(last) || /^(?:[)\]}]|['"`\d].*)$/s.test(last))) return false;
  // Names in an import or export, bindings of other languages (`for (a as b)`, `catch (A as b)`), and plain text.
  if (earlier === undefined || isVariableKeyword(earlier) || isInNameList(before)) return false;
  if (/^[{,]$/.test(earlier) && before[findOpenBracket(before)] === '{') return false;
  if (earlier === '(' && /^(?:catch|for|foreach|with)$/.test(third ?? '')) return false;
  if (after[1] === 'const') return true;
  const type = parseType(after, 1);
  return type !== undefined && (type.isCertain || after[0] === 'satisfies');
}

/** `a!.b`, `f(a!)`; not `a! = b`, nor `! a`. */
const isNonNull = ({ before, after, isAdjacent }: FailureContext): boolean =>
  isAdjacent && after[0] === '!' && followsNonNull(after[1]) && /[\p{ID_Continue}$)\]]$/u.test(before.at(-1) ?? '');

/** `function f<T>(`, `class A<T> {`, `extends A<T> {`, `<T>(a) =>`, `<any>a`; not JSX. */
function hasTypeParameters({ before, after }: FailureContext): boolean {
  if (after[0] !== '<' || !isIdentifier(after[1])) return false;
  if (isPrimitive(after[1]) && after[1] !== 'object' && after[2] === '>') return true;
  const [earlier, last] = before.slice(-2);
  if (last === 'function' || earlier === 'function' || earlier === 'class') return true;
  const end = skipGroup(after, 0);
  if (before.slice(-6).includes('extends')) return after[end] === '{' || after[end] === 'implements';
  if (after[end] !== '(') return false;
  return /^(?:=>|[{:])$/.test(after[skipGroup(after, end)] ?? '');
}

/** `f<A, B>()`, of which JavaScript makes comparisons. */
function hasTypeArguments({ near, nearOffset }: FailureContext): boolean {
  return [...near.matchAll(/[\p{ID_Continue}$]<[\p{ID_Continue}$\s.,[\]|'"{}:<>?]*>\(/gu)].some(
    ({ index, 0: call }) => index < nearOffset && nearOffset <= index + call.length,
  );
}

/** `class A implements B` */
const isImplementing = ({ before, after }: FailureContext): boolean =>
  after[0] === 'implements' && isIdentifier(after[1]) && before.slice(-6).includes('class');

const TYPESCRIPT_SIGNS: readonly ((spot: FailureContext) => boolean)[] = [
  ({ before, after }) => isAnnotation(before, after),
  isDeclaration,
  isImport,
  isAsserted,
  isNonNull,
  hasModifier,
  hasTypeParameters,
  hasTypeArguments,
  isImplementing,
  hasThisParameter,
];
