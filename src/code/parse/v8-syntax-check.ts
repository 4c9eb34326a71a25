/** Compiles CommonJS code with V8, without running it. */

/** The parameters of the function that Node.js wraps a CommonJS file in. */
export const MODULE_PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];

/** V8 looks up each name in all enclosing scopes: 500 KB of names in 2,000 blocks take 10 s. */
const MAX_LOOKUPS = 50_000_000;

/** Whether V8 may take seconds to compile a text. `depth`: how deep scopes are nested; at most the number of braces. */
export const isCostly = (text: string, depth = text.split('{').length): boolean => depth * text.length > MAX_LOOKUPS;

/** Whether V8 accepts the body of a function. It only pre-parses inner functions, which is much faster than compiling. */
export function isCompilable(text: string): boolean {
  try {
    new Function(`return function (${MODULE_PARAMETERS}) {${toFunctionBody(text)}\n}`);
    return true;
  } catch {
    return false;
  }
}

/** `unknown`: it may take seconds, the text is too deep, or Node.js may not compile strings. */
export type CompileResult = { result: 'compiles' | 'unknown' } | { result: 'error'; message: string };

/** Compiles a text as the body of a function. Never throws. */
export function compileWithV8(text: string): CompileResult {
  if (isCostly(text)) return { result: 'unknown' };
  try {
    // Not `node:vm`: for `class A { ... }`, Node.js 20 aborts while it formats the error.
    new Function(...MODULE_PARAMETERS, toFunctionBody(text));
    return { result: 'compiles' };
  } catch (error) {
    return error instanceof SyntaxError ? { result: 'error', message: error.message } : { result: 'unknown' };
  }
}

const toFunctionBody = (text: string) => text.replace(/^#!/, '//');
