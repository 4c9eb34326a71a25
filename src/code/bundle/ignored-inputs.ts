/** Finds files that git ignores: data, which may be secret, is never bundled; code gets a note. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findRealPath, isWithin, toRelative } from '../../files/paths.ts';
import { listAncestors } from '../../files/repository.ts';
import { isIgnored, isTracked } from '../../git/ignored.ts';
import { positionAt } from '../../text/source-position.ts';
import type { BundleContext } from './file-access.ts';
import type { Importer, Input } from './input.ts';
import type { BundleProblem, SourceLocation } from './messages.ts';
import type { Sources } from './sources.ts';

type Env = NonNullable<BundleContext['env']>;

/** The problems, and the files that must not be bundled. */
export async function findIgnoredInputs(sources: Sources) {
  const inputs = [...sources.byKey.values()].filter(({ real, importers }) => {
    return importers.length > 0 && sources.fileAccess.isRepositoryFile(real);
  });
  const found = await Promise.all(inputs.map((input) => findIgnoredProblem(input, sources)));
  const problems = found.filter((problem) => problem !== undefined);
  const files = new Set(inputs.filter((_, i) => found[i]?.level === 'error').map(({ file }) => file));
  return { problems, files };
}

const findGitRoot = (real: string) => listAncestors(dirname(real)).find((one) => existsSync(join(one, '.git')));

/** Which of these links of a formula's folder lead to files that git ignores, or may ignore. */
export async function findIgnoredLinks(folder: string, names: readonly string[], env: Env = {}): Promise<string[]> {
  const results = await Promise.all(
    names.map((name) => {
      const real = findRealPath(join(folder, name));
      const root = real && findGitRoot(real);
      return root !== undefined && real !== undefined && isIgnored(toRelative(root, real), root, env);
    }),
  );
  return names.filter((_, i) => results[i] === true || results[i] === 'failed');
}

async function findIgnoredProblem(input: Input, sources: Sources): Promise<BundleProblem | undefined> {
  const { file, importers, isData, real } = input;
  const { fileAccess, texts, env = {} } = sources;
  const root = findGitRoot(real);
  if (root === undefined) return undefined;
  const ask = (path: string) => isIgnored(toRelative(root, path), root, env);
  const ignored = await ask(real);
  if (ignored === 'no git') return undefined;
  if (!isData) {
    const message = 'git ignores this file, so another clone of the repository may not have it';
    return ignored === true ? { file, line: 1, column: 1, level: 'note', message } : undefined;
  }
  // Of a linked package, a folder that git ignores as a whole is its build output.
  const linked = fileAccess.findLinkedPackage(real);
  const inLinked = listAncestors(dirname(real)).filter((one) => linked && one !== linked && isWithin(one, linked));
  if ((await Promise.all(inLinked.map(ask))).includes(true)) return undefined;
  const location = locateImport(importers, texts);
  const fix = 'Commit the file, or read its content from the configuration.';
  const create = (level: BundleProblem['level'], message: string) => ({ ...location, level, message, fix });
  if (ignored === true) return create('error', `cannot bundle ${file}: git ignores it, and it is not code`);
  if (ignored === 'failed')
    return create('error', `cannot bundle ${file}: git check-ignore failed, so it may be a file that git ignores`);
  if ((await isTracked(toRelative(root, real), root, env)) !== false) return undefined;
  return create('warning', `the code contains ${file}, which git does not track yet`);
}

/** The specifier in the first importing file; otherwise the top of that file. */
export function locateImport(importers: readonly Importer[], texts: ReadonlyMap<string, string>): SourceLocation {
  const [first = { file: '', specifier: '' }] = [...importers].sort((a, b) => (a.file < b.file ? -1 : 1));
  const text = texts.get(first.file) ?? '';
  const at = ["'", '"', '`']
    .map((quote) => text.indexOf(quote + first.specifier + quote))
    .find((offset) => offset >= 0);
  return { file: first.file, ...positionAt(text, at ?? 0) };
}
