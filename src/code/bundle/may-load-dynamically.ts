/** A quick test for dynamic loads, by keywords only, because it runs for each file. */

/** False only if every `require(` and `import(` has a string literal. True for some code without dynamic loads. */
export function mayLoadDynamically(text: string): boolean {
  if (/\\u\{?0*[67][0-9a-f]/i.test(text) && /require|import|\\u/.test(text)) return true;
  // esbuild may resolve `module[…]` to `module.require`.
  if (/\bmodule\s*(\?\.)?\[/.test(text)) return true;
  for (const [, keyword = '', rest = ''] of text.matchAll(/(require|import)(?=([\s\S]{0,200}))/g)) {
    if (!isStatic(keyword, rest)) return true;
  }
  return false;
}

const PLAIN_CALL = /^\s*\(\s*(?:'[^'\\\n]*'|"[^"\\\n]*")\s*\)/;
/** A longer name, a property, an operator other than a call, or an `import` statement. */
const OTHER_USE = {
  require: /^(?:[\w$]|\s*(?:[.,;:=}\]&|?]|[!=]==?)(?![(.]))/,
  import: /^(?:[\w$]|\s*\.meta\b|\s+[\w${*]|\s*['"{*])/,
};

const isStatic = (keyword: string, rest: string) =>
  PLAIN_CALL.test(rest) || OTHER_USE[keyword as keyof typeof OTHER_USE].test(rest);
