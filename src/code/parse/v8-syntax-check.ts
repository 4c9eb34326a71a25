/** Compiles CommonJS code with V8, without running it. */

/** What Node.js hands to the function that a CommonJS file is the body of. */
export const MODULE_PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

/** V8 looks up each name in all scopes around it: 500 KB of names in 2,000 blocks take it 10 s. */
const MAX_LOOKUPS = 50_000_000;

/** True for what V8 may take seconds to compile. `depth` is how deep scopes are nested; there are no more than braces. */
export const isCostly = (text: string, depth = text.split('{').length): boolean => depth * text.length > MAX_LOOKUPS;

/**
 * True where it can be compiled, of a text that is known to be the body of one function. V8 only looks through a function
 * that is not called, which takes a fraction of compiling it.
 */
export function isCompilable(text: string): boolean {
  try {
    new Function(`return function (${MODULE_PARAMETERS}) {${toFunctionBody(text)}\n}`);
    return true;
  } catch {
    return false;
  }
}

/** `unknown` where it may take seconds, the text is too deep, or Node.js was told to compile no strings. */
export type CompileResult = { result: 'compiles' | 'unknown' } | { result: 'error'; message: string };

/** Compiles it as the body of a function. Never throws. */
export function compileWithV8(text: string): CompileResult {
  if (isCostly(text)) return { result: 'unknown' };
  try {
    // Not `node:vm`: of `class A { … }` with the three dots of ASCII, Node.js 20 aborts while it draws the line.
    new Function(...MODULE_PARAMETERS, toFunctionBody(text));
    return { result: 'compiles' };
  } catch (error) {
    return error instanceof SyntaxError ? { result: 'error', message: error.message } : { result: 'unknown' };
  }
}

const toFunctionBody = (text: string) => text.replace(/^#!/, '//');
