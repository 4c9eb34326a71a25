/** Parses code that is broken, or that the quicker parser does not know, and says what is wrong with it. */
import type { Position as AcornPosition, Options, Program } from 'acorn';
import { placeInCode } from '../../text/source-position.ts';
import { WITH_PLACE } from '../ast/walk.ts';
import { DeepParser } from './acorn-parser.ts';
import { moduleSyntax } from './module-syntax.ts';
import { type CodeFault, type CodeFaultKind, foreignFault, type ParsedCode, parsed } from './parsed-code.ts';
import { looksLikeTypeScript, type SyntaxFailure } from './typescript.ts';
import { compile } from './v8-syntax-check.ts';

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

/** Parses any code. Never throws. */
export function parseSlowly(text: string): ParsedCode {
  const attempt = attemptParse(text, SCRIPT);
  if (attempt === TOO_DEEP) return { program: undefined, fault: deepFault(text) };
  return 'program' in attempt ? parsed(text, attempt.program) : explain(text, attempt);
}

/** What V8 says of code that acorn is too small for; it does not say where. */
function deepFault(text: string): CodeFault | undefined {
  const compiled = compile(text);
  if (compiled.result !== 'error') return undefined;
  const found = `${shortened(compiled.message)}; the code is nested too deeply to tell the line`;
  return { kind: 'syntax', found, line: 1, column: 1 };
}

interface SyntaxFault extends SyntaxFailure {
  message: string;
  loc: AcornPosition;
}

const TOO_DEEP = 'nested too deep';

type Attempt = { program: Program } | SyntaxFault | typeof TOO_DEEP;

function attemptParse(text: string, options: Options): Attempt {
  const tokens: number[] = [];
  try {
    return { program: DeepParser.parse(text, { ...options, onToken: ({ start, end }) => tokens.push(start, end) }) };
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    const { message, loc, pos } = error as SyntaxError & { loc: AcornPosition; pos: number };
    return { message: shortened(message.replace(/ \(\d+:\d+\)$/, '')), loc, text, offset: pos, tokens };
  }
}

const MAX_MESSAGE = 200;

/** A message may contain a whole regular expression or name; the reason is at its end. */
const shortened = (message: string) =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE / 2)}…${message.slice(-MAX_MESSAGE / 2)}` : message;

const isFailure = (attempt: Attempt): attempt is SyntaxFault => attempt !== TOO_DEEP && !('program' in attempt);

/** What else the text is, when it is no script of ECMAScript 2022. */
function explain(text: string, failure: SyntaxFault): ParsedCode {
  const { message, loc } = failure;
  const foreign = foreignFault(text);
  if (foreign) return { program: undefined, fault: foreign };
  const faultAt = (kind: CodeFaultKind, found: string, at: AcornPosition = loc): ParsedCode => ({
    program: undefined,
    fault: { kind, found, line: at.line, column: at.column + 1 },
  });
  const latest = attemptParse(text, { ...SCRIPT, ecmaVersion: 'latest' });
  if (latest !== TOO_DEEP && 'program' in latest) return parsed(text, latest.program);
  const phase = importPhase(failure);
  if (phase) return faultAt('target', `import.${phase}()`);
  // Where acorn is stricter than Node.js (`f() = 1`), it is not a mistake of the code.
  if (compile(text).result === 'compiles') return { program: undefined, fault: undefined };
  const module = attemptParse(text, MODULE);
  const found = module !== TOO_DEEP && 'program' in module ? moduleSyntax(module.program, loc) : undefined;
  if (found) return faultAt('module', found.word, found.at);
  // Past an import or export, only the parser of modules sees types.
  if ([failure, module].filter(isFailure).some(looksLikeTypeScript)) return faultAt('typescript', 'TypeScript');
  const conflict = conflictIn(text, loc);
  if (conflict) return faultAt('conflict', 'conflict markers of a merge', conflict);
  // A module with a mistake of its own, or too deep; acorn says so in words about its options.
  if (message.includes('sourceType: module')) return faultAt('module', wordAt(text, loc));
  const awaiting = awaitBefore(failure);
  if (awaiting !== undefined)
    return { program: undefined, fault: { kind: 'syntax', found: AWAIT, ...placeInCode(text, awaiting) } };
  if (/^<(>|[A-Za-z])/.test(text.slice(failure.offset, failure.offset + 2)))
    return faultAt('syntax', 'this looks like JSX, which Node.js cannot run');
  return faultAt('syntax', isAtEnd(text, loc) ? `${message}: the code ends here, unfinished` : message);
}

const AWAIT = 'await is used in a function that is not async';

/** The offset of an `await` that is what does not parse, or that is the token before it. */
function awaitBefore({ text, offset, tokens }: SyntaxFault): number | undefined {
  const isAwait = (start: number) => /^await\b/.test(text.slice(start, start + 6));
  if (isAwait(offset)) return offset;
  const before = tokens.findLast((start, i) => i % 2 === 0 && start < offset);
  return before !== undefined && isAwait(before) ? before : undefined;
}

/** `source` in `import.source()`, likewise `defer`: acorn does not know them, and newer Node.js compile the code. */
function importPhase({ text, offset }: SyntaxFailure): string | undefined {
  if (!/\bimport\s*\.\s*$/.test(text.slice(Math.max(0, offset - 20), offset))) return undefined;
  return /^(?:source|defer)\b/.exec(text.slice(offset, offset + 10))?.[0];
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
