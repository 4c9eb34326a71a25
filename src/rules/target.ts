/** Rules about what the code needs from the service: APIs of Node.js 16, and files, which are not sent. */
import type { LocalFile } from '../code/local-files.ts';
import type { MissingApi } from '../code/node16/missing-apis.ts';
import replacements from './replacements.json' with { type: 'json' };
import { createCodeFinding, type Rule, type RuleFinding } from './rule.ts';

const REPLACEMENTS: Readonly<Partial<Record<string, string>>> = replacements;

const NAMES: Readonly<Record<MissingApi['kind'], (what: string) => string>> = {
  global: (what) => `the global ${what}`,
  member: (what) => what,
  method: (what) => `the method ${what}`,
  module: (what) => `the module ${what}`,
  flag: (what) => `the regular expression flag ${what}`,
};

const codeTargetGlobal: Rule = {
  id: 'code-target-global',
  level: 'warning',
  description:
    'The code uses a global, method, or module that Node.js 16 lacks, without a polyfill or guard (`typeof`, `?.()`, `in`).',
  check: ({ code }) => {
    if (!code?.facts.analysis) return [];
    const own = code.facts.analysis.missingApis.filter(({ packageName }) => packageName === undefined);
    return own.map(({ kind, what, at }): RuleFinding => {
      const replacement = REPLACEMENTS[what];
      const message = `${NAMES[kind](what)} is not in Node.js 16, the runtime of the service`;
      return createCodeFinding(code, at, message, replacement === undefined ? {} : { fix: replacement });
    });
  },
};

export const targetRules: readonly Rule[] = [codeTargetGlobal];

const MESSAGES: Readonly<Record<LocalFile['kind'], (what: string, file: string) => string>> = {
  load: (what, file) => `${file} loads ${JSON.stringify(what)}, but only ${file} is sent to the service`,
  path: (what, file) => `${file} loads a path made from ${what}, but only ${file} is sent to the service`,
  read: (what, file) => `${file} reads a file next to it (${what}), but only the code is sent to the service`,
};

const LOAD_FIX = 'Use import in code.mjs or code.ts, which are bundled with the files that they import.';

const codeLocalFile: Rule = {
  id: 'code-local-file',
  level: 'error',
  description:
    'The code loads a file by a relative or absolute path, but only the code is sent; a warning if the load may never run, for a path made from `__dirname`, and for a file that is read, unless it is read at load by a path made from `import.meta.url`.',
  check: ({ code }) =>
    (code?.facts.analysis?.localFiles ?? []).flatMap(({ kind, what, isCertain, at }): RuleFinding[] => {
      // A bundle contains what it loads; a require that is left in it is reported by the bundler.
      if (!code || (code.file !== 'code.js' && kind !== 'read')) return [];
      const fix = kind === 'read' ? 'Put the content into the code.' : LOAD_FIX;
      const level = isCertain ? 'error' : 'warning';
      return [createCodeFinding(code, at, MESSAGES[kind](what, code.file), { fix, level })];
    }),
};

export const localFileRules: readonly Rule[] = [codeLocalFile];
