/** Formula folders that git skips: those that it ignores, and those that a sparse checkout leaves out of the working tree. */
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath, toRelative } from '../files/paths.ts';
import { groupByWorkingCopy } from '../files/repository.ts';
import { parseManifestName } from '../folder/manifest.ts';
import { findIgnoredFiles } from '../git/ignored.ts';
import { findSkippedFiles } from '../git/known-paths.ts';
import { readObjects } from '../git/objects.ts';
import type { Environment } from '../git/run-git.ts';
import type { Host } from '../host/host.ts';
import { shellQuotePath } from '../text/shell-quote.ts';
import type { NamedFolder } from './identity.ts';

const MANIFEST = 'manifest.json';

/** Selects the folders (absolute) that git does not track and that .gitignore names; `failed` if git cannot tell. */
export async function findIgnoredFolders(
  folders: readonly string[],
  env: Environment,
): Promise<ReadonlySet<string> | 'failed'> {
  const ignored = new Set<string>();
  const paths = folders.map((folder) => ({ folder, path: findRealPath(folder) ?? folder }));
  for (const [top, inside] of groupByWorkingCopy(paths, ({ path }) => path)) {
    const files = inside.flatMap(({ path }) => FILES.map((name) => toRelative(top, join(path, name))));
    const found = await findIgnoredFiles(top, files, env);
    if (found === 'failed') return found;
    for (const { folder, path } of inside)
      if (FILES.every((name) => found.has(toRelative(top, join(path, name))))) ignored.add(folder);
  }
  return ignored;
}

/** A rule for a single file does not make its folder an ignored one. */
const FILES = [MANIFEST, 'code.js'];

/** Selects the folders (absolute and real) whose manifest is skipped. Raises usage (2) if git fails. */
export async function findSkippedFolders(
  folders: readonly string[],
  { env, platform }: Pick<Host, 'env' | 'platform'>,
): Promise<ReadonlySet<string>> {
  const skipped = new Set<string>();
  for (const [top, inside] of groupByWorkingCopy(folders, (folder) => folder)) {
    const files = await findSkippedFiles(top, MANIFEST, env);
    if ('error' in files) throw gitError(files.error, shellQuotePath(top, platform));
    for (const folder of inside) if (files.has(toManifestPath(folder, top))) skipped.add(folder);
  }
  return skipped;
}

/** The folders below `top` whose manifest is skipped, with the name in git's index; none if git fails. */
export async function listSkippedManifests(top: string, { env }: Host): Promise<NamedFolder[]> {
  const files = await findSkippedFiles(top, MANIFEST, env);
  if ('error' in files) return [];
  const objects = await readObjects(
    top,
    [...files].map((file) => `:${file}`),
    env,
  );
  return [...files].map((file) => {
    const bytes = objects.get(`:${file}`)?.bytes;
    return { path: join(top, dirname(file)), name: bytes && parseManifestName(bytes) };
  });
}

const toManifestPath = (folder: string, top: string) =>
  folder === top ? MANIFEST : `${toRelative(top, folder)}/${MANIFEST}`;

const gitError = (error: string, top: string) =>
  new CliError(
    'usage',
    `could not check whether a sparse checkout skips folders, so nothing was deleted: ${error.split('\n')[0]}`,
    { hint: `To see the error, run: git -C ${top} status` },
  );
