/** Code as a syntax tree, or why it cannot be used. */
import type { Program } from 'acorn';
import { foreignText } from '../../text/foreign-text.ts';
import { placeInCode } from '../../text/source-position.ts';
import { newerSyntax } from '../node16/syntax.ts';
import { variablesIn } from '../scope/binding-identifiers.ts';
import { PARAMETERS } from './v8-syntax-check.ts';

export type CodeFaultKind = 'empty' | 'syntax' | 'conflict' | 'module' | 'typescript' | 'target';

/** Why the code cannot be used: a kind, what was found there, and the place (from 1, in UTF-16 units). */
export interface CodeFault {
  kind: CodeFaultKind;
  found: string;
  line: number;
  column: number;
}

/** A tree or a fault; neither where the code is fine but too deep to be analysed. */
export interface ParsedCode {
  program: Program | undefined;
  fault: CodeFault | undefined;
}

/** What stands where there is newer syntax: a word, a flag, and parts of regular expressions. */
const MAY_BE_NEWER = /\busing\b|\/[a-z]*v|\(\?[-ims<]|\\[pP]\{/;

/** The tree of code that a parser accepts, unless it does nothing or needs a newer Node.js. */
export function parsed(text: string, program: Program): ParsedCode {
  const fault =
    emptyFault(program) ?? foreignFault(text) ?? parameterFault(text, program) ?? targetFault(text, program);
  return fault ? { program: undefined, fault } : { program, fault: undefined };
}

/** Directives and nothing else do nothing either. */
function emptyFault({ body }: Program): CodeFault | undefined {
  const isEmpty = body.every(
    (node) => node.type === 'EmptyStatement' || (node.type === 'ExpressionStatement' && node.directive),
  );
  return isEmpty ? { kind: 'empty', found: 'no code', line: 1, column: 1 } : undefined;
}

/** A Markdown code block is made of template literals, but is no code. */
export function foreignFault(text: string): CodeFault | undefined {
  const foreign = foreignText(text);
  return foreign === undefined ? undefined : { kind: 'syntax', found: `this is ${foreign}`, line: 1, column: 1 };
}

function targetFault(text: string, program: Program): CodeFault | undefined {
  if (!MAY_BE_NEWER.test(text)) return undefined;
  const newer = newerSyntax(program);
  return newer && { kind: 'target', found: newer.what, ...placeInCode(text, newer.at) };
}

/** Node.js passes these as parameters, so a `let`, `const` or `class` of their name at the top does not compile. */
function parameterFault(text: string, { body }: Program): CodeFault | undefined {
  const names = body.flatMap((node) => {
    if (node.type === 'ClassDeclaration') return [node.id];
    const isLexical = node.type === 'VariableDeclaration' && node.kind !== 'var';
    return isLexical ? node.declarations.flatMap(({ id }) => variablesIn(id)) : [];
  });
  const taken = names.find(({ name }) => PARAMETERS.includes(name));
  if (!taken) return undefined;
  const found = `${taken.name} is declared already: Node.js gives it to every file`;
  return { kind: 'syntax', found, ...placeInCode(text, taken.start) };
}
