/** The result of parsing: a syntax tree or an error. */

import type { AnyNode, Program } from 'acorn';
import { identifyForeignText } from '../../text/foreign-text.ts';
import { codePositionAt } from '../../text/source-position.ts';
import { walk } from '../ast/walk.ts';
import missing from '../node16/missing.json' with { type: 'json' };
import { listBindingIdentifiers } from '../scope/scope.ts';
import { MODULE_PARAMETERS } from './v8-syntax-check.ts';

export type CodeErrorKind = 'empty' | 'syntax' | 'conflict' | 'module' | 'typescript' | 'target';

/** Why the code cannot be used: kind, description, and position (from 1, in UTF-16 units). */
export interface CodeError {
  kind: CodeErrorKind;
  found: string;
  line: number;
  column: number;
}

/** A tree or an error; neither if the code is valid but nested too deep to be analyzed. */
export interface ParsedCode {
  program: Program | undefined;
  error: CodeError | undefined;
}

/** Text that newer syntax contains: a keyword, a flag, and parts of regular expressions. */
const MAY_BE_NEWER = /\busing\b|\/[a-z]*v|\(\?[-ims<]|\\[pP]\{/;

/** Checks code that parses: an error if it is empty or needs a newer Node.js. */
export function toParsedCode(text: string, program: Program): ParsedCode {
  const error =
    findEmptyCode(program) ??
    findForeignText(text) ??
    findParameterConflict(text, program) ??
    findUnsupportedSyntax(text, program);
  return error ? { program: undefined, error } : { program, error: undefined };
}

/** Code with only directives counts as empty. */
function findEmptyCode({ body }: Program): CodeError | undefined {
  const isEmpty = body.every(
    (node) => node.type === 'EmptyStatement' || (node.type === 'ExpressionStatement' && node.directive),
  );
  return isEmpty ? { kind: 'empty', found: 'no code', line: 1, column: 1 } : undefined;
}

/** A Markdown code block parses as template literals, but is not code. */
export function findForeignText(text: string): CodeError | undefined {
  const foreign = identifyForeignText(text);
  return foreign === undefined ? undefined : { kind: 'syntax', found: `this is ${foreign}`, line: 1, column: 1 };
}

/** The first use of syntax that Node.js 16 lacks. (It knows the second argument of import().) */
function findUnsupportedSyntax(text: string, program: Program): CodeError | undefined {
  if (!MAY_BE_NEWER.test(text)) return undefined;
  for (const node of walk(program)) {
    const found = describeNewerSyntax(node);
    if (found) return { kind: 'target', found, ...codePositionAt(text, node.start) };
  }
  return undefined;
}

/** A top-level `let`, `const`, or `class` with the name of a module parameter does not compile. */
function findParameterConflict(text: string, { body }: Program): CodeError | undefined {
  const names = body.flatMap((node) => {
    if (node.type === 'ClassDeclaration') return [node.id];
    const isLexical = node.type === 'VariableDeclaration' && node.kind !== 'var';
    return isLexical ? node.declarations.flatMap(({ id }) => listBindingIdentifiers(id)) : [];
  });
  const conflict = names.find(({ name }) => MODULE_PARAMETERS.includes(name));
  if (!conflict) return undefined;
  const found = `${conflict.name} is already declared: Node.js provides it to every file`;
  return { kind: 'syntax', found, ...codePositionAt(text, conflict.start) };
}

/** Removes classes and escapes, where parentheses are plain characters. */
const extractGroups = (pattern: string): string =>
  pattern.replace(/\\u|\\.|\[(?:\\.|[^\]\\])*\]/gs, (part) => (part === '\\u' ? part : 'x'));

/** The names of named groups. */
const listGroupNames = (groups: string): string[] =>
  [...groups.matchAll(/\(\?<([^=!>(][^>(]*)>/g)].map(([, name = '']) => name);

/** Whether two groups have the same name: `(?<a>b)|(?<a>c)`. */
export function hasDuplicateGroupName(pattern: string): boolean {
  if (!pattern.includes('(?<')) return false;
  const names = listGroupNames(extractGroups(pattern));
  return new Set(names).size < names.length;
}

function describeNewerSyntax(node: AnyNode): string | undefined {
  if (node.type === 'Literal' && node.regex) return describeNewerRegex(node.regex);
  if (node.type === 'VariableDeclaration' && /using/.test(node.kind)) return `a declaration with ${node.kind}`;
  return undefined;
}

const NEWER_UNICODE_SCRIPTS = new Set(missing.script.split(' '));

function describeNewerRegex({ pattern, flags }: { pattern: string; flags: string }): string | undefined {
  if (flags.includes('v')) return 'the regular expression flag v';
  const script = flags.includes('u') && [...pattern.matchAll(/\\[pP]\{(?:sc|scx|Script|Script_Extensions)=(\w+)\}/g)];
  const [, newest] = (script || []).find(([, name = '']) => NEWER_UNICODE_SCRIPTS.has(name)) ?? [];
  if (newest) return `the Unicode script ${newest} in a regular expression`;
  const groups = extractGroups(pattern);
  if (/\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/.test(groups)) return 'a modifier in a regular expression';
  const names = listGroupNames(groups);
  if (new Set(names).size < names.length) return 'a duplicate group name in a regular expression';
  const isAstral = (name: string) => /[\ud800-\udfff]/.test(name) || /\\u(?:\{|d[89ab])/i.test(name);
  return !flags.includes('u') && names.some(isAstral)
    ? 'a group name outside the basic plane in a regular expression without the flag u'
    : undefined;
}
