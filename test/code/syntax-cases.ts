/** Code by whether Node.js 16 compiles it. */

/** What is legal there, with the code. */
export const LEGAL: [string, string][] = [
  ['a shebang', '#!/usr/bin/env node\nmodule.exports = 1;'],
  ['a variable named package', 'var package = 1, interface = 2, let = 3;'],
  ['octal numbers', 'var x = 010;'],
  ['with', 'with (x) { y; }'],
  ['HTML comments', 'x; <!-- old\n--> older\n'],
  ['await and yield as names', 'var await = 1, yield = 2;'],
  ['return at the top', 'if (x) return;'],
  ['new.target at the top', 'var t = new.target;'],
  [
    'class fields, private methods and static blocks',
    'class A { #a = 1; static { A.b = 1; } static is(x) { return #a in x; } }',
  ],
  ['assignment by logic, optional chaining, separators', 'a ??= b?.c ?? 1_000; d ||= e; f &&= g;'],
  ['the regular expression flag d, and a look-behind', 'x = /(?<year>\\d)(?<=a)/d;'],
  ['dynamic import, also with assertions', "import('x'); import('./x.json', { assert: { type: 'json' } });"],
  ['BigInt, exponents, catch without a name', 'x = 1n ** 2n; try {} catch {}'],
  ['U+2028 in a text', "x = 'a\u2028b';"],
  ['CR LF', "'use strict';\r\nvar x;\r\n"],
  ['for await in an async function', 'async () => { for await (const x of y) {} }'],
  ['var and function named as what Node.js gives', 'var module = module, exports; function require() {}'],
  ['a block that has its own exports', '{ const exports = {}; }'],
  ['a regular expression that looks like a modifier', 'x = /\\(?i:/; y = /(?:a)/;'],
];

/** What is not: the kind of fault, what is found, line and column. */
export const REFUSED: [string, string, string, string, number, number][] = [
  ['nothing', '', 'empty', 'no code', 1, 1],
  ['comments alone', ' // a\n/* b */', 'empty', 'no code', 1, 1],
  ['a directive alone', "'use strict';", 'empty', 'no code', 1, 1],
  ['an unclosed bracket', 'x = 1;\ny = (2;\n', 'syntax', 'Unexpected token', 2, 7],
  ['an unclosed bracket after CR LF', 'x = 1;\r\ny = (2;\r\n', 'syntax', 'Unexpected token', 2, 7],
  ['an unclosed bracket after U+2028', 'x = 1;\u2028y = (2;', 'syntax', 'Unexpected token', 2, 7],
  ['two lets of a name', 'let a;\nlet a;', 'syntax', "'a' has already been declared", 2, 5],
  ['a const of a name that Node.js gives', 'const exports = {};', 'syntax', 'exports', 1, 7],
  ['a class of such a name', '\nclass module {}', 'syntax', 'module', 2, 7],
  ['conflict markers', 'a;\n<<<<<<< ours\nb;\n=======\nc;\n>>>>>>> theirs\n', 'conflict', 'conflict', 2, 1],
  ['export', '\nexport default async () => ({});', 'module', 'export', 2, 1],
  ['import', "import x from 'x';\nmodule.exports = x;", 'module', 'import', 1, 1],
  ['import.meta', 'x = import.meta.url;', 'module', 'import.meta', 1, 5],
  ['await at the top', 'x;\nconst y = await z();', 'module', 'await', 2, 17],
  ['types', 'module.exports = async (req: Request): Promise<object> => ({});', 'typescript', 'TypeScript', 1, 28],
  ['an interface', 'interface A { b: string }\nmodule.exports = 1;', 'typescript', 'TypeScript', 1, 11],
  ['types and export', 'export const x: number = 1;', 'typescript', 'TypeScript', 1, 1],
  ['the regular expression flag v', '\nx = /[a--b]/v;', 'target', 'flag v', 2, 5],
  ['a modifier in a regular expression', 'x = /(?i:a)b/;', 'target', 'modifier', 1, 5],
  ['a group name twice', 'x = /(?<a>b)|(?<a>c)/;', 'target', 'group name', 1, 5],
  ['using', '{ using x = y; }', 'target', 'using', 1, 3],
];
