/** Rules about the code: that it can be bundled where it must be, parses on Node.js 16, and exports one asynchronous function (spec 2.6). */

import type { ModuleExport } from '../code/exports/exports.ts';
import type { CodeError, CodeErrorKind } from '../code/parse/parsed-code.ts';
import { codePositionAt } from '../text/source-position.ts';
import { findUnsupportedPackages } from './bundled-packages.ts';
import type { Problem, Rule, Subject } from './rule.ts';

const EXAMPLE = 'module.exports = async ({ args, configuration }) => ({ raw: {} });';
const EXAMPLE_DEFAULT_EXPORT = 'export default async ({ args, configuration }) => ({ raw: {} });';

/** A rule that reports one kind of fault of the parse, in its own words. */
function forCodeError(
  kinds: readonly CodeErrorKind[],
  describe: (error: CodeError, file: string) => Omit<Problem, 'file' | 'position'>,
): Rule['check'] {
  return ({ code }) => {
    const fault = code?.facts.fault;
    if (!code || !fault || !kinds.includes(fault.kind)) return [];
    return [{ file: code.file, position: { line: fault.line, column: fault.column }, ...describe(fault, code.file) }];
  };
}

const codeEmpty: Rule = {
  id: 'code-empty',
  level: 'error',
  description: 'The code has nothing in it, so it exports nothing.',
  check: forCodeError(['empty'], (_, file) => ({
    message: `${file} has no code in it, so it exports nothing`,
    fix: EXAMPLE,
  })),
};

const codeSyntax: Rule = {
  id: 'code-syntax',
  level: 'error',
  description: 'The code cannot be parsed as a CommonJS script; conflict markers are named.',
  check: forCodeError(['syntax', 'conflict'], ({ kind, found, line }, file) => ({
    message: `${file} cannot be parsed: ${found} (line ${line})`,
    ...(kind === 'conflict' && { fix: 'finish the merge' }),
  })),
};

const MODULE_FIXES: Readonly<Record<string, string>> = {
  import: "write const x = require('x') and module.exports = async …, or rename it to code.mjs",
  await: 'move the await into the function: module.exports = async …',
};

const codeModule: Rule = {
  id: 'code-module',
  level: 'error',
  description: '`import`, `export`, top-level `await` or TypeScript in code.js, which is run as a CommonJS script.',
  check: forCodeError(['module', 'typescript'], ({ kind, found }) =>
    kind === 'typescript'
      ? {
          message: 'code.js looks like TypeScript; wanted is JavaScript',
          fix: 'rename it to code.ts, or take the types out and write module.exports = async …',
        }
      : {
          message: `code.js uses ${found === 'await' ? 'await outside a function' : found}, but is run as a CommonJS script; wanted is module.exports = async …`,
          fix: MODULE_FIXES[found] ?? 'write module.exports = async …, or rename it to code.mjs',
        },
  ),
};

const codeSyntaxTarget: Rule = {
  id: 'code-syntax-target',
  level: 'error',
  description: 'Syntax that is newer than Node.js 16.',
  check: forCodeError(['target'], ({ found }, file) => ({
    message: `${file} has ${found}, which Node.js 16 does not know; the service runs formulas on it`,
  })),
};

/** What the code exports, where it was parsed. */
const getModuleExport = ({ code }: Subject): ModuleExport => code?.facts.analysis?.moduleExport ?? { kind: 'unknown' };

const codeExport: Rule = {
  id: 'code-export',
  level: 'error',
  description: 'The code provably exports no function.',
  check: (subject) => {
    const exported = getModuleExport(subject);
    if (!subject.code || exported.kind !== 'not-a-function') return [];
    const { file, text } = subject.code;
    const { why, what, fix, at, definedAt = at } = exported;
    if (file === 'code.js')
      return [
        {
          file,
          position: codePositionAt(text, at),
          message: `${file} exports no function: ${why}`,
          fix: fix ?? EXAMPLE,
        },
      ];
    const message = `${file} exports no function: ${what === undefined ? why : `the default export is ${what}`}`;
    return [{ file, position: codePositionAt(text, definedAt), message, fix: fix ?? EXAMPLE_DEFAULT_EXPORT }];
  },
};

const codeSync: Rule = {
  id: 'code-sync',
  level: 'warning',
  description: 'The exported function is visibly not asynchronous.',
  check: (subject) => {
    const exported = getModuleExport(subject);
    if (!subject.code || exported.kind !== 'function' || exported.asynchronous !== 'no') return [];
    const { file, text } = subject.code;
    const position = codePositionAt(text, file === 'code.js' ? exported.at : exported.definedAt);
    return [
      {
        file: subject.code.file,
        position,
        message: 'the exported function is not asynchronous and returns no promise; wanted is an async function',
        fix: 'write async before it',
      },
    ];
  },
};

const codeShebang: Rule = {
  id: 'code-shebang',
  level: 'warning',
  description: 'A shebang, which has no meaning here; behind a byte order mark it is an error.',
  check: ({ code, contents }) => {
    if (code?.file !== 'code.js' || !code.text.startsWith('#!') || contents.code.state !== 'read') return [];
    const hasMark = contents.code.bytes[0] === 0xef;
    const message = hasMark
      ? 'the first line of code.js is a shebang behind a byte order mark, which Node.js cannot parse'
      : 'the first line of code.js is a shebang, which has no meaning here';
    return [
      {
        file: code.file,
        position: { line: 1, column: 1 },
        message,
        fix: 'take the line out',
        ...(hasMark && { level: 'error' }),
      },
    ];
  },
};

const codeCrlf: Rule = {
  id: 'code-crlf',
  level: 'note',
  description: 'The code has CR LF line endings, which are sent as they are.',
  check: ({ code }) => {
    const at = code?.file === 'code.js' ? code.text.indexOf('\r\n') : -1;
    if (!code || at < 0) return [];
    const message = `${code.file} has CR LF line endings, which are sent as they are`;
    return [{ file: code.file, position: codePositionAt(code.text, at), message }];
  },
};

const codeBundle: Rule = {
  id: 'code-bundle',
  level: 'error',
  usesSourceLocations: true,
  description:
    "code.ts or code.mjs cannot be bundled: an import that is not found or is never bundled (outside the repository and its packages, a dot file, the tests, data that git ignores), a native addon, top-level `await`, no default export, broken syntax. A warning for a path that is only known when the code runs (in a package a note), for a package that the service must provide, and for one that Node.js 16 cannot run, and a note that lists files from outside the formula's folder.",
  check: (subject) => [
    ...subject.bundleProblems.map(({ file, line, column, ...fault }) => ({
      file,
      position: { line, column },
      ...fault,
    })),
    ...findUnsupportedPackages(subject),
  ],
};

export const codeRules: readonly Rule[] = [
  codeBundle,
  codeEmpty,
  codeSyntax,
  codeModule,
  codeSyntaxTarget,
  codeExport,
  codeSync,
  codeShebang,
  codeCrlf,
];
