/** Rules about the code: it bundles, parses on Node.js 16, and exports one asynchronous function (spec 2.6). */
import type { SourceLocation } from '../code/bundle/bundle.ts';
import type { ModuleExport } from '../code/exports/exports.ts';
import type { CodeError, CodeErrorKind } from '../code/parse/parsed-code.ts';
import { findUnsupportedPackages } from './bundled-packages.ts';
import { createCodeFinding, createFileFinding, type Rule, type RuleFinding, type Subject } from './rule.ts';

const EXAMPLE = 'module.exports = async ({ args, configuration }) => ({ raw: {} });';
const EXAMPLE_DEFAULT_EXPORT = 'export default async ({ args, configuration }) => ({ raw: {} });';

/** A rule that reports one kind of parse error. */
function forCodeError(
  kinds: readonly CodeErrorKind[],
  describe: (error: CodeError, file: string) => Omit<RuleFinding, keyof SourceLocation>,
): Rule['check'] {
  return ({ code }) => {
    const error = code?.facts.error;
    if (!code || !error || !kinds.includes(error.kind)) return [];
    return [{ file: code.file, line: error.line, column: error.column, ...describe(error, code.file) }];
  };
}

const MODULE_FIXES: Readonly<Record<string, string>> = {
  import: "write const x = require('x') and module.exports = async …, or rename it to code.mjs",
  await: 'Move the await into the function: module.exports = async …',
};

/** The export of the code, if it was parsed. */
const getModuleExport = ({ code }: Subject): ModuleExport => code?.facts.analysis?.moduleExport ?? { kind: 'unknown' };

export const codeRules: readonly Rule[] = [
  {
    id: 'code-bundle',
    level: 'error',
    usesSourceLocations: true,
    description:
      "code.ts or code.mjs cannot be bundled: an import that is not found or is never bundled (outside the repository and its packages, a dot file, the tests, data that git ignores), a native addon, top-level `await`, no default export, broken syntax. A warning for a path that is only known when the code runs (in a package a note), for a package that the service must provide, and for one that Node.js 16 cannot run, and a note that lists files from outside the formula's folder.",
    check: (subject) => [...subject.bundleProblems, ...findUnsupportedPackages(subject)],
  },
  {
    id: 'code-empty',
    level: 'error',
    description: 'The code file is empty, so it exports nothing.',
    check: forCodeError(['empty'], (_, file) => ({
      message: `${file} contains no code, so it exports nothing`,
      fix: EXAMPLE,
    })),
  },
  {
    id: 'code-syntax',
    level: 'error',
    description: 'The code is not a valid CommonJS script, or contains conflict markers.',
    check: forCodeError(['syntax', 'conflict'], ({ kind, found, line }, file) => ({
      message: `${file} could not be parsed: ${found} (line ${line})`,
      ...(kind === 'conflict' && { fix: 'Finish the merge.' }),
    })),
  },
  {
    id: 'code-module',
    level: 'error',
    description:
      'code.js contains `import`, `export`, top-level `await`, or TypeScript, but runs as a CommonJS script.',
    check: forCodeError(['module', 'typescript'], ({ kind, found }) =>
      kind === 'typescript'
        ? {
            message: 'code.js must be JavaScript (got TypeScript)',
            fix: 'Rename it to code.ts, or remove the types and write: module.exports = async …',
          }
        : {
            message: `code.js uses ${found === 'await' ? 'await outside a function' : found}, but runs as a CommonJS script`,
            fix: MODULE_FIXES[found] ?? 'Rename it to code.mjs, or write: module.exports = async …',
          },
    ),
  },
  {
    id: 'code-syntax-target',
    level: 'error',
    description: 'Syntax that is newer than Node.js 16.',
    check: forCodeError(['target'], ({ found }, file) => ({
      message: `${file} has ${found}, which Node.js 16, the runtime of the service, does not support`,
    })),
  },
  {
    id: 'code-export',
    level: 'error',
    description: 'The code does not export a function.',
    check: (subject) => {
      const exported = getModuleExport(subject);
      if (!subject.code || exported.kind !== 'not-a-function') return [];
      const { file } = subject.code;
      const { why, what, at, definedAt = at } = exported;
      const isScript = file === 'code.js';
      const reason = isScript || what === undefined ? why : `the default export is ${what}`;
      const fix = exported.fix ?? (isScript ? EXAMPLE : EXAMPLE_DEFAULT_EXPORT);
      const message = `${file} does not export a function: ${reason}`;
      return [createCodeFinding(subject.code, isScript ? at : definedAt, message, { fix })];
    },
  },
  {
    id: 'code-sync',
    level: 'warning',
    description: 'The exported function is not asynchronous, or is a generator.',
    check: (subject) => {
      const exported = getModuleExport(subject);
      if (!subject.code || exported.kind !== 'function' || !/^(no|generator)$/.test(exported.asynchronous)) return [];
      const at = subject.code.file === 'code.js' ? exported.at : exported.definedAt;
      const [message, fix] =
        exported.asynchronous === 'no'
          ? ['the exported function must be async, or return a promise', 'Add async before it.']
          : [
              'the exported function must not be a generator: its values are never read',
              'Write async function without *.',
            ];
      return [createCodeFinding(subject.code, at, message, { fix })];
    },
  },
  {
    id: 'code-shebang',
    level: 'warning',
    description: 'The code begins with a shebang, which has no effect.',
    // A byte order mark before it is not sent.
    check: ({ code }) =>
      code?.file === 'code.js' && code.text.startsWith('#!')
        ? [
            createFileFinding(code.file, 'the first line of code.js is a shebang, which has no effect', {
              fix: 'Remove the line.',
            }),
          ]
        : [],
  },
  {
    id: 'code-crlf',
    level: 'note',
    description: 'The code has CR LF line endings, which are sent unchanged.',
    check: ({ code }) => {
      const at = code?.file === 'code.js' ? code.text.indexOf('\r\n') : -1;
      if (!code || at < 0) return [];
      return [createCodeFinding(code, at, `${code.file} has CR LF line endings, which are sent unchanged`)];
    },
  },
];
