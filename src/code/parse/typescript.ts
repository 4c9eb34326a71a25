/** Tells TypeScript from JavaScript that is broken, by the words around the first syntax error. */

import { isName, openBracket, skipGroup, wordsFrom } from './tokens.ts';
import { isAnnotation, isInClass, isVariable } from './type-annotations.ts';
import { isPrimitive, typeAt } from './type-syntax.ts';

/** Where a parser gave up: an offset of the text, and the offsets (start, end, start, …) of the tokens before it. */
export interface SyntaxFailure {
  text: string;
  offset: number;
  tokens: readonly number[];
}

/** The words on both sides of the failure. */
interface Spot {
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
const NEAR = 200;

/** True where the words around the failure are TypeScript; false where they may be a mistake in JavaScript. */
export function looksLikeTypeScript(failure: SyntaxFailure): boolean {
  const spot = spotOf(failure);
  return SIGNS.some((sign) => sign(spot));
}

function spotOf({ text, offset, tokens }: SyntaxFailure): Spot {
  const before: string[] = [];
  let lastEnd = 0;
  for (let i = Math.max(0, tokens.length - 2 * MAX_TOKENS); i < tokens.length; i += 2) {
    const [start = 0, end = 0] = tokens.slice(i, i + 2);
    if (end > offset) break;
    before.push(text.slice(start, end));
    lastEnd = end;
  }
  const nearStart = Math.max(0, offset - NEAR);
  return {
    before,
    after: wordsFrom(text, offset),
    isAdjacent: lastEnd === offset,
    near: text.slice(nearStart, offset + NEAR),
    nearOffset: offset - nearStart,
  };
}

const oneOf = (words: string) => {
  const known = new Set(words.split(' '));
  return (word: string | undefined) => word !== undefined && known.has(word);
};

const isImportOrExport = oneOf('import export');
const isModifier = oneOf('abstract declare override private protected public readonly');
const isDeclarable = oneOf('abstract async class const enum function global interface let module namespace type var');
const followsNonNull = oneOf('. [ ) , ; } ] ?. : as');

/** `interface A {`, `type A =`, `enum A {`, `namespace A {`, `declare const`, `abstract class`, `export type`. */
function isDeclaration({ before, after }: Spot): boolean {
  // In strict code the keyword is refused, otherwise the name after it.
  const words = [...before.slice(-2), ...after.slice(0, 3)];
  return [words.length - 4, words.length - 3].some((at) => declares(words, at));
}

function declares(words: readonly string[], at: number): boolean {
  const [earlier, keyword, name = '', next = ''] = [words[at - 1], ...words.slice(Math.max(0, at), at + 3)];
  if (earlier === '.' || earlier === ',') return false;
  const isNamed = isName(name);
  switch (keyword) {
    case 'interface':
      return isNamed && /^(?:[{<]|extends)$/.test(next);
    case 'type':
      return isNamed && /^[=<]$/.test(next) && !isVariable(earlier);
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
function isImport({ before, after }: Spot): boolean {
  const [earlier, last] = before.slice(-2);
  if (last === 'type' && /^(?:import|[{,])$/.test(earlier ?? '') && isInNameList(before))
    return isName(after[0]) || /^[{*]$/.test(after[0] ?? '');
  return earlier === 'import' && isName(last) && after[0] === '=' && after[1] === 'require';
}

/** `private a`, in a class or in the parameters of its constructor. */
function hasModifier({ before, after }: Spot): boolean {
  const isInFront = isModifier(before.at(-1));
  if (!isName(after[isInFront ? 0 : 1]) || !(isInFront || isModifier(after[0]))) return false;
  return isInClass(before) || before[openBracket(before) - 1] === 'constructor';
}

/** `function f(this: T)` */
const hasThis = ({ before, after }: Spot): boolean => after[0] === 'this' && after[1] === ':' && before.at(-1) === '(';

/** True in `import a` and `export { a`; not in `export default a`. */
function isInNameList(before: readonly string[]): boolean {
  const names = before.slice(before.findLastIndex(isImportOrExport));
  return (
    isImportOrExport(names[0]) && names.every((word) => (isName(word) || /^[*,{'"]/.test(word)) && word !== 'default')
  );
}

/** `a as T`, `a satisfies T` */
function isAsserted({ before, after }: Spot): boolean {
  if (after[0] !== 'as' && after[0] !== 'satisfies') return false;
  const [third, earlier, last = ''] = [before.at(-3), before.at(-2), before.at(-1)];
  if (!(isName(last) || /^(?:[)\]}]|['"`\d].*)$/s.test(last))) return false;
  // Names in an import or export, bindings of other languages (`for (a as b)`, `catch (A as b)`), and plain text.
  if (earlier === undefined || isVariable(earlier) || isInNameList(before)) return false;
  if (/^[{,]$/.test(earlier) && before[openBracket(before)] === '{') return false;
  if (earlier === '(' && /^(?:catch|for|foreach|with)$/.test(third ?? '')) return false;
  if (after[1] === 'const') return true;
  const type = typeAt(after, 1);
  return type !== undefined && (type.isCertain || after[0] === 'satisfies');
}

/** `a!.b`, `f(a!)`; not `a! = b`, nor `! a`. */
const isNonNull = ({ before, after, isAdjacent }: Spot): boolean =>
  isAdjacent && after[0] === '!' && followsNonNull(after[1]) && /[\p{ID_Continue}$)\]]$/u.test(before.at(-1) ?? '');

/** `function f<T>(`, `class A<T> {`, `extends A<T> {`, `<T>(a) =>`, `<any>a`; not JSX. */
function hasTypeParameters({ before, after }: Spot): boolean {
  if (after[0] !== '<' || !isName(after[1])) return false;
  if (isPrimitive(after[1]) && after[1] !== 'object' && after[2] === '>') return true;
  const [earlier, last] = before.slice(-2);
  if (last === 'function' || earlier === 'function' || earlier === 'class') return true;
  const end = skipGroup(after, 0);
  if (before.slice(-6).includes('extends')) return after[end] === '{' || after[end] === 'implements';
  if (after[end] !== '(') return false;
  return /^(?:=>|[{:])$/.test(after[skipGroup(after, end)] ?? '');
}

/** `f<A, B>()`, of which JavaScript makes comparisons. */
function hasTypeArguments({ near, nearOffset }: Spot): boolean {
  return [...near.matchAll(/[\p{ID_Continue}$]<[\p{ID_Continue}$\s.,[\]|'"{}:<>?]*>\(/gu)].some(
    ({ index, 0: call }) => index < nearOffset && nearOffset <= index + call.length,
  );
}

/** `class A implements B` */
const isImplementing = ({ before, after }: Spot): boolean =>
  after[0] === 'implements' && isName(after[1]) && before.slice(-6).includes('class');

const SIGNS: readonly ((spot: Spot) => boolean)[] = [
  ({ before, after }) => isAnnotation(before, after),
  isDeclaration,
  isImport,
  isAsserted,
  isNonNull,
  hasModifier,
  hasTypeParameters,
  hasTypeArguments,
  isImplementing,
  hasThis,
];
