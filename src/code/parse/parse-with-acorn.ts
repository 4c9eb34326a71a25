/** Parses code that meriyah rejects, and diagnoses syntax errors. */
import type { Position as AcornPosition, AnyNode, Options, Position, Program } from 'acorn';
import { codePositionAt } from '../../text/source-position.ts';
import { walk } from '../ast/walk.ts';
import { loadEsbuild } from '../bundle/esbuild.ts';
import { withProcessLimits } from '../bundle/limited-spawn.ts';
import { withBuildLimits } from '../bundle/run-esbuild.ts';
import { BoundedParser } from './acorn-parser.ts';
import { type CodeError, type CodeErrorKind, findForeignText, type ParsedCode, toParsedCode } from './parsed-code.ts';
import { compileWithV8, isCostly } from './v8-syntax-check.ts';

/** A sloppy script in the function that Node.js wraps a CommonJS file in. */
const SCRIPT: Options = {
  ecmaVersion: 2022,
  sourceType: 'commonjs',
  allowHashBang: true,
};

const MODULE: Options = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowReturnOutsideFunction: true,
  allowHashBang: true,
  locations: true,
};

/** Parses any code. Never throws. */
export async function parseWithAcorn(text: string): Promise<ParsedCode> {
  const attempt = attemptParse(text, SCRIPT);
  if (attempt === TOO_DEEP) return { program: undefined, error: diagnoseDeepCode(text) };
  return 'program' in attempt ? toParsedCode(text, attempt.program) : diagnoseFailure(text, attempt);
}

/** The V8 error for code that is too deep for acorn; without a position. */
function diagnoseDeepCode(text: string): CodeError | undefined {
  const result = compileWithV8(text);
  if (result.result !== 'error') return undefined;
  const found = `${truncateMiddle(result.message)}; the code is nested too deeply to locate the error`;
  return { kind: 'syntax', found, line: 1, column: 1 };
}

interface AcornFailure {
  message: string;
  loc: AcornPosition;
  offset: number;
}

const TOO_DEEP = 'nested too deep';

type ParseAttempt = { program: Program } | AcornFailure | typeof TOO_DEEP;

function attemptParse(text: string, options: Options): ParseAttempt {
  try {
    return { program: BoundedParser.parse(text, options) };
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    const { message, loc, pos } = error as SyntaxError & { loc: AcornPosition; pos: number };
    return { message: truncateMiddle(message.replace(/ \(\d+:\d+\)$/, '')), loc, offset: pos };
  }
}

const MAX_MESSAGE = 200;

/** A message may contain a whole regular expression or name; the reason is at its end. */
const truncateMiddle = (message: string) =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE / 2)}…${message.slice(-MAX_MESSAGE / 2)}` : message;

/** Diagnoses text that is not an ECMAScript 2022 script. */
async function diagnoseFailure(text: string, { message, loc, offset }: AcornFailure): Promise<ParsedCode> {
  const foreignError = findForeignText(text);
  if (foreignError) return { program: undefined, error: foreignError };
  const errorAt = (kind: CodeErrorKind, found: string, at: AcornPosition = loc): ParsedCode => ({
    program: undefined,
    error: { kind, found, line: at.line, column: at.column + 1 },
  });
  const latest = attemptParse(text, { ...SCRIPT, ecmaVersion: 'latest' });
  if (latest !== TOO_DEEP && 'program' in latest) return toParsedCode(text, latest.program);
  const phase = findImportPhase(text, offset);
  if (phase) return errorAt('target', `import.${phase}()`);
  // acorn is stricter than Node.js in places: `f() = 1`.
  if (compileWithV8(text).result === 'compiles') return { program: undefined, error: undefined };
  const module = attemptParse(text, MODULE);
  const found = module !== TOO_DEEP && 'program' in module ? findModuleSyntax(module.program, loc) : undefined;
  if (found) return errorAt('module', found.keyword, found.position);
  const conflict = findConflictMarker(text, loc);
  if (conflict) return errorAt('conflict', 'merge conflict markers', conflict);
  if (await isTypeScript(text, offset)) return errorAt('typescript', 'TypeScript');
  // A module with a mistake of its own, or nested too deep: the message is about acorn's options.
  if (message.includes('sourceType: module')) return errorAt('module', getKeywordAt(text, loc));
  const awaitOffset = findAwaitBefore(text, offset);
  if (awaitOffset !== undefined)
    return { program: undefined, error: { kind: 'syntax', found: AWAIT, ...codePositionAt(text, awaitOffset) } };
  if (/^<(>|[A-Za-z])/.test(text.slice(offset, offset + 2)))
    return errorAt('syntax', 'this looks like JSX, which Node.js cannot run');
  return errorAt('syntax', isAtEnd(text, loc) ? `${message}: unexpected end of the code` : message);
}

const AWAIT = 'await is used in a function that is not async';

/** The offset of an `await` that does not parse, or that precedes what does not. */
function findAwaitBefore(text: string, offset: number): number | undefined {
  if (/^await\b/.test(text.slice(offset, offset + 6))) return offset;
  return /\bawait\s+$/.exec(text.slice(Math.max(0, offset - 100), offset))
    ? text.lastIndexOf('await', offset - 1)
    : undefined;
}

/** `source` or `defer` in `import.source()`: newer Node.js compile it, but acorn does not know it. */
function findImportPhase(text: string, offset: number): string | undefined {
  if (!/\bimport\s*\.\s*$/.test(text.slice(Math.max(0, offset - 20), offset))) return undefined;
  return /^(?:source|defer)\b/.exec(text.slice(offset, offset + 10))?.[0];
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** The position of a merge conflict marker; `=======` counts only where the code does not parse. */
function findConflictMarker(text: string, failure: AcornPosition): AcornPosition | undefined {
  const lines = text.split(LINE_END);
  const at = lines.findIndex(
    (line, i) => /^(<{7}|>{7}|\|{7}) /.test(line) || (i === failure.line - 1 && /^={7}$/.test(line)),
  );
  return at < 0 ? undefined : ({ line: at + 1, column: 0 } as AcornPosition);
}

const getKeywordAt = (text: string, { line, column }: AcornPosition) =>
  text.split(LINE_END)[line - 1]?.startsWith('export', column) ? 'export' : 'import';

function isAtEnd(text: string, { line, column }: AcornPosition): boolean {
  const lines = text.split(LINE_END);
  return line === lines.length && column >= (lines.at(-1)?.length ?? 0);
}

export interface ModuleSyntax {
  keyword: 'import' | 'export' | 'import.meta' | 'await';
  position: Position;
}

/**
 * The first one in source order, if any. Only the last `await` before the syntax error of the script counts, because earlier
 * ones may be calls: `await (x)`.
 */
export function findModuleSyntax(program: Program, failure: Position): ModuleSyntax | undefined {
  const outside = walk(program, ({ type }) => /Function/.test(type)).filter(isAwait);
  const failing = outside.filter(({ loc }) => loc && isBefore(loc.start, failure)).at(-1) ?? outside[0];
  const [first] = [...(failing ? [failing] : []), ...walk(program).filter(isModuleOnly)].sort(
    (a, b) => a.start - b.start,
  );
  return first?.loc ? { keyword: getKeyword(first), position: first.loc.start } : undefined;
}

const isBefore = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.column < b.column);

const isAwait = (node: AnyNode) => node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await);

const isModuleOnly = (node: AnyNode) =>
  /^(Import|Export)\w*Declaration$/.test(node.type) || (node.type === 'MetaProperty' && node.meta.name === 'import');

function getKeyword({ type }: AnyNode): ModuleSyntax['keyword'] {
  if (type === 'MetaProperty') return 'import.meta';
  if (type.startsWith('Import')) return 'import';
  return type.startsWith('Export') ? 'export' : 'await';
}

const MAX_SECONDS = 5;

/** `offset` is where the code stops being JavaScript. False too if esbuild cannot be started, or could take seconds. */
export async function isTypeScript(text: string, offset: number): Promise<boolean> {
  if (isCostly(text) || isStrayMark(text.slice(offset, offset + 4))) return false;
  return !(await compiles(text, 'js')) && (await compiles(text, 'ts'));
}

async function compiles(text: string, loader: 'js' | 'ts'): Promise<boolean> {
  try {
    const esbuild = await loadEsbuild();
    const compile = () => withProcessLimits(() => esbuild.transform(text, { loader, logLevel: 'silent' }));
    await withBuildLimits(esbuild, compile, MAX_SECONDS);
    return true;
  } catch {
    return false;
  }
}

/** `a! = b` and `Hello!` compile as TypeScript, but are more likely typos; `a!.b` and `f(a!)` are not. */
const isStrayMark = (text: string) => text.startsWith('!') && !/^!(?:[.[),;:}\]]|\?\.| as)/.test(text);
