/** Code as a syntax tree, or why it cannot be used. */
import type { Program } from 'acorn';
import { identifyForeignText } from '../../text/foreign-text.ts';
import { codePositionAt } from '../../text/source-position.ts';
import { findNewerSyntax } from '../node16/syntax.ts';
import { listBindingIdentifiers } from '../scope/binding-identifiers.ts';
import { MODULE_PARAMETERS } from './v8-syntax-check.ts';

export type CodeErrorKind = 'empty' | 'syntax' | 'conflict' | 'module' | 'typescript' | 'target';

/** Why the code cannot be used: a kind, what was found there, and the place (from 1, in UTF-16 units). */
export interface CodeError {
  kind: CodeErrorKind;
  found: string;
  line: number;
  column: number;
}

/** A tree or a fault; neither where the code is fine but too deep to be analysed. */
export interface ParsedCode {
  program: Program | undefined;
  error: CodeError | undefined;
}

/** What stands where there is newer syntax: a word, a flag, and parts of regular expressions. */
const MAY_BE_NEWER = /\busing\b|\/[a-z]*v|\(\?[-ims<]|\\[pP]\{/;

/** The tree of code that a parser accepts, unless it does nothing or needs a newer Node.js. */
export function toParsedCode(text: string, program: Program): ParsedCode {
  const error =
    findEmptyCode(program) ??
    findForeignText(text) ??
    findParameterConflict(text, program) ??
    findUnsupportedSyntax(text, program);
  return error ? { program: undefined, error } : { program, error: undefined };
}

/** Directives and nothing else do nothing either. */
function findEmptyCode({ body }: Program): CodeError | undefined {
  const isEmpty = body.every(
    (node) => node.type === 'EmptyStatement' || (node.type === 'ExpressionStatement' && node.directive),
  );
  return isEmpty ? { kind: 'empty', found: 'no code', line: 1, column: 1 } : undefined;
}

/** A Markdown code block is made of template literals, but is no code. */
export function findForeignText(text: string): CodeError | undefined {
  const foreign = identifyForeignText(text);
  return foreign === undefined ? undefined : { kind: 'syntax', found: `this is ${foreign}`, line: 1, column: 1 };
}

function findUnsupportedSyntax(text: string, program: Program): CodeError | undefined {
  if (!MAY_BE_NEWER.test(text)) return undefined;
  const newer = findNewerSyntax(program);
  return newer && { kind: 'target', found: newer.what, ...codePositionAt(text, newer.at) };
}

/** Node.js passes these as parameters, so a `let`, `const` or `class` of their name at the top does not compile. */
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
