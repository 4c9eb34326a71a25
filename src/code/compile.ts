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
  const found = compileError(text);
  return found === undefined ? undefined : { kind: 'syntax', found, ...placeOfError(text) };
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
    return error instanceof SyntaxError ? error.message : undefined;
  }
}

const bodyOf = (text: string) => text.replace(/^#!/, '//');

/** Where the compiler gives up on code that is known to fail. */
function placeOfError(text: string): Position {
  const opening = `(function (${PARAMETERS}) {`;
  const expression = `${opening}${bodyOf(text)}\n})`;
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  session.connect();
  session.post('Runtime.enable');
  let place: Position = { line: 1, column: 1 };
  session.post('Runtime.compileScript', { expression, sourceURL: '', persistScript: false }, (_, answer) => {
    const { lineNumber = 0, columnNumber = 0 } = (answer as Runtime.CompileScriptReturnType).exceptionDetails ?? {};
    place = { line: lineNumber + 1, column: columnNumber + 1 - (lineNumber === 0 ? opening.length : 0) };
  });
  session.disconnect();
  return place;
}
