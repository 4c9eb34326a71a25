/** The rule about local files, which are not sent with the code. */
import type { LocalFile } from '../code/local-files.ts';
import { createCodeProblem } from './problems.ts';
import type { Problem, Rule } from './rule.ts';

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
    'The code loads a file by a relative or absolute path, but only the code is sent; a warning if the load may never run, for a path made from `__dirname`, and for a file that is read.',
  check: ({ code }) =>
    (code?.facts.analysis?.localFiles ?? []).flatMap(({ kind, what, isCertain, at }): Problem[] => {
      // A bundle contains what it loads; a require that is left in it is reported by the bundler.
      if (!code || (code.file !== 'code.js' && kind !== 'read')) return [];
      const fix = kind === 'read' ? 'Put the content into the code.' : LOAD_FIX;
      const level = isCertain ? 'error' : 'warning';
      return [createCodeProblem(code, at, MESSAGES[kind](what, code.file), { fix, level })];
    }),
};

export const localFileRules: readonly Rule[] = [codeLocalFile];
