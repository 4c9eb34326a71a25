/** What this Node.js itself says of a CommonJS file: compiled, never run. */
import type { Runtime } from 'node:inspector';
import { type Position, placeInCode } from '../positions.ts';

/** What Node.js hands to the function that a CommonJS file is the body of. */
export const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

export interface CompileFault extends Position {
  kind: 'syntax';
  found: string;
}

type Wrong = Omit<CompileFault, 'kind'>;

/** Why it cannot be compiled; undefined where it can. Never throws. */
export function compileFault(text: string): CompileFault | undefined {
  const found = compileError(text);
  return found === undefined ? undefined : { kind: 'syntax', line: 1, column: 1, ...wrong(text), found };
}

/**
 * True where it can be compiled, of a text that is known to be the body of one function. V8 only looks through a function
 * that is not called, which takes a fraction of compiling it.
 */
export function isCompilable(text: string): boolean {
  try {
    new Function(`return function (${PARAMETERS}) {${bodyOf(text)}\n}`);
    return true;
  } catch {
    return false;
  }
}

/** The words of the error alone, which are had in far less time. */
export function compileError(text: string): string | undefined {
  try {
    // Not `node:vm`: of `class A { … }` with the three dots of ASCII, Node.js 20 aborts while it draws the line.
    new Function(...PARAMETERS, bodyOf(text));
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    // Node.js can be told to make no code of texts; then this takes longer.
    return error instanceof EvalError ? wrong(text)?.found : undefined;
  }
}

const bodyOf = (text: string) => text.replace(/^#!/, '//');

/** What the compiler finds wrong, and where it gives up, of any text; undefined for nothing. */
function wrong(text: string): Wrong | undefined {
  return inspected(text) ?? escaped(text);
}

/** The same of a text that can be compiled between braces, which it may have closed to open others. */
function escaped(text: string): Wrong | undefined {
  try {
    process.getBuiltinModule('node:vm').compileFunction(bodyOf(text), PARAMETERS);
    return undefined;
  } catch (error) {
    // Else it is too deep, which is no mistake.
    if (!(error instanceof SyntaxError)) return undefined;
    const { message, stack = '' } = error;
    return { found: message, line: Number(/^[^\n]*:(\d+)\n/.exec(stack)?.[1] ?? 1), column: 1 };
  }
}

/** The same of a text that is taken for the body of one function. */
function inspected(text: string): Wrong | undefined {
  const opening = `(function (${PARAMETERS}) {`;
  const expression = `${opening}${bodyOf(text)}\n})`;
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  try {
    session.connect();
  } catch {
    // Node.js's permission model does not allow it.
    return undefined;
  }
  session.post('Runtime.enable');
  let details: Runtime.ExceptionDetails | undefined;
  session.post('Runtime.compileScript', { expression, sourceURL: '', persistScript: false }, (_, answer) => {
    details = (answer as Runtime.CompileScriptReturnType).exceptionDetails;
  });
  session.disconnect();
  if (!details) return undefined;
  const { lineNumber, columnNumber, exception } = details;
  const [, found] = /^SyntaxError: (.*)/.exec(exception?.description ?? '') ?? [];
  if (found === undefined) return undefined;
  const end = placeInCode(text, text.length);
  // What is unfinished is missed in the line that follows.
  if (lineNumber >= end.line) return { found, ...end };
  return { found, line: lineNumber + 1, column: columnNumber + 1 - (lineNumber === 0 ? opening.length : 0) };
}
