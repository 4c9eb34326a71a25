/** Compiles CommonJS code with V8, without running it. */

/** The parameters of the function that Node.js wraps a CommonJS file in. */
export const MODULE_PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

/** V8 looks up each name in all enclosing scopes: 500 KB of names in 2,000 blocks take 10 s. */
const MAX_LOOKUPS = 50_000_000;

/** Whether V8 may take seconds to compile a text. `depth`: how deep scopes are nested; at most the number of braces. */
export const isCostly = (text: string, depth = text.split('{').length): boolean => depth * text.length > MAX_LOOKUPS;

/** `unknown`: it may take seconds, the text is too deep, or Node.js may not compile strings. */
type CompileResult = { result: 'compiles' | 'unknown' } | { result: 'error'; message: string };

/** Compiles a text as the body of a function, unless that may take seconds. Never throws. */
export const compileWithV8 = (text: string): CompileResult => (isCostly(text) ? { result: 'unknown' } : compile(text));

/** As `compileWithV8`, however long it takes. */
export function compile(text: string): CompileResult {
  try {
    // Not `node:vm`: for `class A { ... }`, Node.js 20 aborts while it formats the error.
    new Function(...MODULE_PARAMETERS, text.replace(/^#!/, '//'));
    return { result: 'compiles' };
  } catch (error) {
    return error instanceof SyntaxError ? { result: 'error', message: error.message } : { result: 'unknown' };
  }
}
