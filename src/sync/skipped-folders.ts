/** Formula folders that a sparse checkout of git skips: they are not in the working tree, but they are not removed. */
import { CliError } from '../errors.ts';
import { toRelative } from '../files/paths.ts';
import { groupByWorkingCopy } from '../files/repository.ts';
import { findSkippedFiles } from '../git/skipped.ts';
import type { Host } from '../host/host.ts';
import { shellQuotePath } from '../text/shell-quote.ts';

const MANIFEST = 'manifest.json';

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

const toManifestPath = (folder: string, top: string) =>
  folder === top ? MANIFEST : `${toRelative(top, folder)}/${MANIFEST}`;

const gitError = (error: string, top: string) =>
  new CliError(
    'usage',
    `could not check whether a sparse checkout skips folders, so nothing was deleted: ${error.split('\n')[0]}`,
    { hint: `To see the error, run: git -C ${top} status` },
  );
