/** Finds inputs that git ignores: data, which may be secret, is never bundled; code gets a note. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin, toRelative } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import type { IgnoreCheck, IgnoredPaths, startIgnoreCheck } from '../../git/ignored.ts';
import { positionAt } from '../../text/source-position.ts';
import type { BundleContext, FileAccess } from './file-access.ts';
import type { Importer, Input } from './input.ts';
import type { BundleProblem, SourceLocation } from './messages.ts';

export interface IgnoredInputs {
  /** Asks git about a file. */
  add(input: Input): void;
  /** The problems, and the files that must not be bundled. To be called once. */
  finish(texts: ReadonlyMap<string, string>): Promise<{ problems: BundleProblem[]; files: ReadonlySet<string> }>;
  /** Ends git, if it is still running. */
  close(): void;
}

interface IgnoreQuery {
  input: Input;
  root: string;
  path: string;
  /** The folders that contain the file in a linked package; an ignored one is its build output. */
  folders: string[];
}

export function openIgnoredInputs(
  fileAccess: FileAccess,
  { env = {} }: Partial<BundleContext>,
  startCheck: typeof startIgnoreCheck,
): IgnoredInputs {
  const checks = new Map<string, IgnoreCheck>();
  const queries: IgnoreQuery[] = [];
  return {
    add: (input) => {
      const { real } = input;
      const ancestors = listAncestors(dirname(real)).filter((folder) => isWithin(folder, fileAccess.repository));
      const root = ancestors.find((folder) => existsSync(join(folder, '.git')));
      if (root === undefined || !fileAccess.isRepositoryFile(real)) return;
      const inRoot = (path: string) => toRelative(root, path);
      const linked = fileAccess.findLinkedPackage(real);
      const folders = linked
        ? ancestors.filter((folder) => folder !== linked && isWithin(folder, linked)).map(inRoot)
        : [];
      const check = checks.get(root) ?? startCheck(root, env);
      checks.set(root, check);
      queries.push({ input, root, path: inRoot(real), folders });
      for (const path of [inRoot(real), ...folders]) check.add(path);
    },
    finish: async (texts) => {
      const ignoredByRoot = new Map<string, IgnoredPaths>();
      for (const [root, check] of checks) ignoredByRoot.set(root, await check.finish());
      const results = queries.map((one) => ({
        file: one.input.file,
        problems: findIgnoredProblems(one, ignoredByRoot.get(one.root) ?? 'no git', texts),
      }));
      const rejected = results.filter(({ problems }) => problems.some(({ level }) => level === 'error'));
      return {
        problems: results.flatMap(({ problems }) => problems),
        files: new Set(rejected.map(({ file }) => file)),
      };
    },
    close: () => {
      for (const check of checks.values()) check.cancel();
    },
  };
}

function findIgnoredProblems(
  { input, path, folders }: IgnoreQuery,
  ignored: IgnoredPaths,
  texts: ReadonlyMap<string, string>,
): BundleProblem[] {
  const { file, importers } = input;
  if (ignored === 'no git') return [];
  if (!input.isData) {
    const isIgnored = ignored !== 'failed' && ignored.has(path);
    const message = 'git ignores this file, so another clone of the repository may not have it';
    return isIgnored ? [{ file, line: 1, column: 1, level: 'note', message }] : [];
  }
  if (ignored === 'failed')
    return [
      createError(
        importers,
        texts,
        `cannot bundle ${file}: git check-ignore failed, so it may be a file that git ignores`,
      ),
    ];
  if (!ignored.has(path) || folders.some((folder) => ignored.has(folder))) return [];
  return [
    {
      ...createError(importers, texts, `cannot bundle ${file}: git ignores it, and it is not code`),
      fix: 'Commit the file, or read its content from the configuration.',
    },
  ];
}

const createError = (
  importers: readonly Importer[],
  texts: ReadonlyMap<string, string>,
  message: string,
): BundleProblem => ({
  ...locateImport(importers, texts),
  level: 'error',
  message,
});

/** The specifier in the first importing file; otherwise the top of that file. */
function locateImport(importers: readonly Importer[], texts: ReadonlyMap<string, string>): SourceLocation {
  const [first = { file: '', specifier: '' }] = [...importers].sort((a, b) => (a.file < b.file ? -1 : 1));
  const text = texts.get(first.file) ?? '';
  const at = ["'", '"', '`']
    .map((quote) => text.indexOf(quote + first.specifier + quote))
    .find((offset) => offset >= 0);
  return { file: first.file, ...positionAt(text, at ?? 0) };
}
