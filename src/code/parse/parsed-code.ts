/** The result of parsing: a syntax tree or an error. */
import type { Program } from 'acorn';
import { identifyForeignText } from '../../text/foreign-text.ts';
import { codePositionAt } from '../../text/source-position.ts';
import { findNewerSyntax } from '../node16/syntax.ts';
import { listBindingIdentifiers } from '../scope/binding-identifiers.ts';
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

function findUnsupportedSyntax(text: string, program: Program): CodeError | undefined {
  if (!MAY_BE_NEWER.test(text)) return undefined;
  const newer = findNewerSyntax(program);
  return newer && { kind: 'target', found: newer.what, ...codePositionAt(text, newer.at) };
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
