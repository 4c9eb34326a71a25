/** What this Node.js itself says of a CommonJS file: compiled, never run. */
import type { Runtime } from 'node:inspector';
import type { Position } from '../positions.ts';

/** What Node.js hands to the function that a CommonJS file is the body of. */
export const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

export interface CompileFault extends Position {
  kind: 'syntax';
  found: string;
}

/** Why it cannot be compiled; undefined where it can. Never throws. */
export function compileFault(text: string): CompileFault | undefined {
  if (compileError(text) === undefined) return undefined;
  const fault = inspected(text);
  return fault && { kind: 'syntax', ...fault };
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
    return error instanceof EvalError ? inspected(text)?.found : undefined;
  }
}

const bodyOf = (text: string) => text.replace(/^#!/, '//');

/** What the compiler finds wrong, and where it gives up; undefined for nothing. */
function inspected(text: string): { found: string; line: number; column: number } | undefined {
  const opening = `(function (${PARAMETERS}) {`;
  const expression = `${opening}${bodyOf(text)}\n})`;
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  session.connect();
  session.post('Runtime.enable');
  let details: Runtime.ExceptionDetails | undefined;
  session.post('Runtime.compileScript', { expression, sourceURL: '', persistScript: false }, (_, answer) => {
    details = (answer as Runtime.CompileScriptReturnType).exceptionDetails;
  });
  session.disconnect();
  if (!details) return undefined;
  const { lineNumber, columnNumber, exception } = details;
  const found = /^SyntaxError: (.*)/.exec(exception?.description ?? '')?.[1] ?? 'it cannot be compiled';
  return { found, line: lineNumber + 1, column: columnNumber + 1 - (lineNumber === 0 ? opening.length : 0) };
}
