/** Whether code may load a path that is put together when it runs: asked of each file, so it only looks for the words. */

/**
 * True unless every `require(` and `import(` of a text has a plain string. It may be wrong for code that has none, but
 * never for code that has one, however it is written.
 */
export function mayLoadDynamically(text: string): boolean {
  if (/\\u\{?0*[67][0-9a-f]/i.test(text) && /require|import|\\u/.test(text)) return true;
  // Not `module.require`, but `module[…]`, which esbuild may take for it.
  if (/\bmodule\s*(\?\.)?\[/.test(text)) return true;
  for (const [, keyword = '', rest = ''] of text.matchAll(/(require|import)(?=([\s\S]{0,200}))/g)) {
    if (!isStatic(keyword, rest)) return true;
  }
  return false;
}

const PLAIN_CALL = /^\s*\(\s*(?:'[^'\\\n]*'|"[^"\\\n]*")\s*\)/;
/** A name that goes on, a property, an operator that is no call, or `import` as a statement. */
const OTHER_USE = {
  require: /^(?:[\w$]|\s*(?:[.,;:=}\]&|?]|[!=]==?)(?![(.]))/,
  import: /^(?:[\w$]|\s*\.meta\b|\s+[\w${*]|\s*['"{*])/,
};

const isStatic = (keyword: string, rest: string) =>
  PLAIN_CALL.test(rest) || OTHER_USE[keyword as keyof typeof OTHER_USE].test(rest);
