/** The code as a syntax tree, or why it is none. Nothing is run. */
import { Script } from 'node:vm';
import { type Position as AcornPosition, type Options, type Program, parse } from 'acorn';
import { newerSyntax } from './newer-syntax.ts';
import { isTypeScript } from './typescript.ts';

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

/** A sloppy script inside the function that Node.js wraps a CommonJS file in. */
const SCRIPT: Options = { ecmaVersion: 2022, sourceType: 'commonjs', allowHashBang: true, locations: true };

/** Parses code that is text without its byte order mark. Never throws. */
export function parseCode(text: string): ParsedCode {
  const attempt = attemptParse(text, SCRIPT);
  if (attempt === TOO_DEEP) return { program: undefined, fault: compileFault(text) };
  if ('program' in attempt) {
    const { program } = attempt;
    const fault = emptyFault(program) ?? parameterFault(program);
    return fault ? { program: undefined, fault } : { program, fault: undefined };
  }
  return explain(text, attempt);
}

interface SyntaxFault {
  message: string;
  loc: AcornPosition;
}

const TOO_DEEP: SyntaxFault = { message: 'nested too deep', loc: { line: 1, column: 0 } as AcornPosition };

function attemptParse(text: string, options: Options): { program: Program } | SyntaxFault {
  try {
    return { program: parse(text, options) };
  } catch (error) {
    const { message, loc } = error as SyntaxError & SyntaxFault;
    // acorn says so as a syntax error, by these words alone.
    if (error instanceof RangeError || message.startsWith('Not enough stack space')) return TOO_DEEP;
    return { message: message.replace(/ \(\d+:\d+\)$/, ''), loc };
  }
}

/** What else the text is, when it is no script of ECMAScript 2022. */
function explain(text: string, { message, loc }: SyntaxFault): ParsedCode {
  const faultAt = (kind: CodeFaultKind, found: string, at: AcornPosition = loc): ParsedCode => ({
    program: undefined,
    fault: { kind, found, line: at.line, column: at.column + 1 },
  });
  const conflict = /^(<{7}|>{7}|\|{7}) /m.exec(text);
  if (conflict) return faultAt('conflict', 'conflict markers of a merge', placeOf(text, conflict.index));
  const latest = attemptParse(text, { ...SCRIPT, ecmaVersion: 'latest' });
  if ('program' in latest) {
    const newer = newerSyntax(latest.program);
    return newer ? faultAt('target', newer.what, newer.at) : { program: latest.program, fault: undefined };
  }
  const module = attemptParse(text, { ...SCRIPT, ecmaVersion: 'latest', sourceType: 'module' });
  if ('program' in module)
    return faultAt('module', moduleWord(module.program, text), moduleWordAt(module.program) ?? loc);
  return isTypeScript(text) ? faultAt('typescript', 'TypeScript') : faultAt('syntax', message);
}

function placeOf(text: string, offset: number): AcornPosition {
  const lines = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return { line: lines.length, column: lines.at(-1)?.length ?? 0 } as AcornPosition;
}

const moduleNode = (program: Program) => program.body.find(({ type }) => /^(Import|Export)/.test(type));

/** `import` or `export`, whichever comes first; else it is `await` outside a function, or `import.meta`. */
function moduleWord(program: Program, text: string): string {
  const node = moduleNode(program);
  if (node) return node.type.startsWith('Import') ? 'import' : 'export';
  return /\bimport\.meta\b/.test(text) && !/\bawait\b/.test(text) ? 'import.meta' : 'await';
}

const moduleWordAt = (program: Program) => moduleNode(program)?.loc?.start;

/** Directives and nothing else do nothing either. */
function emptyFault({ body }: Program): CodeFault | undefined {
  const isEmpty = body.every(
    (node) => node.type === 'EmptyStatement' || (node.type === 'ExpressionStatement' && node.directive),
  );
  return isEmpty ? { kind: 'empty', found: 'no code', line: 1, column: 1 } : undefined;
}

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

/** Node.js passes these as parameters, so a `let`, `const` or `class` of their name at the top does not compile. */
function parameterFault({ body }: Program): CodeFault | undefined {
  for (const node of body) {
    const names =
      node.type === 'VariableDeclaration' && node.kind !== 'var'
        ? node.declarations.map(({ id }) => id)
        : node.type === 'ClassDeclaration'
          ? [node.id]
          : [];
    for (const id of names) {
      if (id.type !== 'Identifier' || !PARAMETERS.includes(id.name) || !id.loc) continue;
      const found = `${id.name} is declared already: Node.js gives it to every file`;
      return { kind: 'syntax', found, line: id.loc.start.line, column: id.loc.start.column + 1 };
    }
  }
  return undefined;
}

/** For code too deep for acorn: compiled by this Node.js, never run. */
function compileFault(text: string): CodeFault | undefined {
  try {
    new Script(`(function (exports, require, module, __filename, __dirname) {${text.replace(/^#!/, '//')}\n})`);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) return undefined;
    return { kind: 'syntax', found: error.message, line: 1, column: 1 };
  }
}
