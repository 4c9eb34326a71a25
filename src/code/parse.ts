/** The code as a syntax tree, or why it is none. Nothing is run. */
import type { Position as AcornPosition, Options, Program } from 'acorn';
import { type Options as QuickOptions, parse as quickParse } from 'meriyah';
import { placeInCode } from '../positions.ts';
import { compileError, compileFault, isCompilable, PARAMETERS } from './compile.ts';
import { DeepParser } from './deep-parser.ts';
import { moduleSyntax } from './module-syntax.ts';
import { newerSyntax } from './newer-syntax.ts';
import { variablesIn } from './variables.ts';
import { WITH_PLACE } from './walk.ts';

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

/** For the quicker parser; names that are declared twice are found by compiling. */
const QUICK: QuickOptions = {
  sourceType: 'commonjs',
  webcompat: true,
  ranges: { start: true, end: true },
};

/** A sloppy script inside the function that Node.js wraps a CommonJS file in; places are told from offsets, by `placeInCode`. */
const SCRIPT: Options = {
  ecmaVersion: 2022,
  sourceType: 'commonjs',
  allowHashBang: true,
  ...WITH_PLACE,
};

const MODULE: Options = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowReturnOutsideFunction: true,
  allowHashBang: true,
  locations: true,
};

/** Parses code that is text without its byte order mark. Never throws. */
export const parseCode = async (text: string): Promise<ParsedCode> =>
  (isCompilable(text) && parseQuickly(text)) || parseSlowly(text);

/**
 * Parses code that this Node.js compiles, by a parser that takes half the time of acorn and tells less of what is wrong;
 * undefined where that refuses it.
 */
export function parseQuickly(text: string): ParsedCode | undefined {
  try {
    return parsed(text, quickParse(text, QUICK) as Program);
  } catch {
    return undefined;
  }
}

/** Parses any code. TypeScript's parser wakes when it is needed. */
async function parseSlowly(text: string): Promise<ParsedCode> {
  const parsed = parseScript(text, () => false);
  if (!parsed.fault || !/^(syntax|conflict|module)$/.test(parsed.fault.kind)) return parsed;
  const { isTypeScript } = await import('./typescript.ts');
  return parseScript(text, isTypeScript);
}

function parseScript(text: string, isTypeScript: (text: string) => boolean): ParsedCode {
  const attempt = attemptParse(text, SCRIPT);
  if (attempt === TOO_DEEP) return { program: undefined, fault: compileFault(text) };
  if (!('program' in attempt)) return explain(text, attempt, isTypeScript);
  return parsed(text, attempt.program);
}

/** What stands where there is newer syntax: a word, a flag, and parts of regular expressions. */
const MAY_BE_NEWER = /\busing\b|\/[a-z]*v|\(\?[-ims<]|\\[pP]\{/;

function parsed(text: string, program: Program): ParsedCode {
  const fault = emptyFault(program) ?? parameterFault(text, program) ?? targetFault(text, program);
  return fault ? { program: undefined, fault } : { program, fault: undefined };
}

interface SyntaxFault {
  message: string;
  loc: AcornPosition;
}

const TOO_DEEP: SyntaxFault = { message: 'nested too deep', loc: { line: 1, column: 0 } as AcornPosition };

function attemptParse(text: string, options: Options): { program: Program } | SyntaxFault {
  try {
    return { program: DeepParser.parse(text, options) };
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    const { message, loc } = error as SyntaxError & SyntaxFault;
    return { message: message.replace(/ \(\d+:\d+\)$/, ''), loc };
  }
}

/** What else the text is, when it is no script of ECMAScript 2022. */
function explain(text: string, { message, loc }: SyntaxFault, isTypeScript: (text: string) => boolean): ParsedCode {
  const faultAt = (kind: CodeFaultKind, found: string, at: AcornPosition = loc): ParsedCode => ({
    program: undefined,
    fault: { kind, found, line: at.line, column: at.column + 1 },
  });
  const latest = attemptParse(text, { ...SCRIPT, ecmaVersion: 'latest' });
  if ('program' in latest) return parsed(text, latest.program);
  // Where acorn is stricter than Node.js (`f() = 1`), it is not a mistake of the code.
  if (compileError(text) === undefined) return { program: undefined, fault: undefined };
  const module = attemptParse(text, MODULE);
  const found = 'program' in module ? moduleSyntax(module.program, loc) : undefined;
  if (found) return faultAt('module', found.word, found.at);
  if (isTypeScript(text)) return faultAt('typescript', 'TypeScript');
  const conflict = conflictIn(text, loc);
  if (conflict) return faultAt('conflict', 'conflict markers of a merge', conflict);
  // A module with a mistake of its own, or too deep; acorn says so in words about its options.
  if (message.includes('sourceType: module')) return faultAt('module', wordAt(text, loc));
  return faultAt('syntax', isAtEnd(text, loc) ? `${message}: the code ends here, unfinished` : message);
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Where the markers of a merge are; a bare line of `=` is one only if that is what does not parse. */
function conflictIn(text: string, failure: AcornPosition): AcornPosition | undefined {
  const lines = text.split(LINE_END);
  const at = lines.findIndex(
    (line, i) => /^(<{7}|>{7}|\|{7}) /.test(line) || (i === failure.line - 1 && /^={7}$/.test(line)),
  );
  return at < 0 ? undefined : ({ line: at + 1, column: 0 } as AcornPosition);
}

const wordAt = (text: string, { line, column }: AcornPosition) =>
  text.split(LINE_END)[line - 1]?.startsWith('export', column) ? 'export' : 'import';

function isAtEnd(text: string, { line, column }: AcornPosition): boolean {
  const lines = text.split(LINE_END);
  return line === lines.length && column >= (lines.at(-1)?.length ?? 0);
}

/** Directives and nothing else do nothing either. */
function emptyFault({ body }: Program): CodeFault | undefined {
  const isEmpty = body.every(
    (node) => node.type === 'EmptyStatement' || (node.type === 'ExpressionStatement' && node.directive),
  );
  return isEmpty ? { kind: 'empty', found: 'no code', line: 1, column: 1 } : undefined;
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
