/** The words that name formulas and folders on the command line. */

import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { toSlashes } from '../files/paths.ts';
import type { FolderRef } from '../folder/find-folders.ts';
import { mayBeMisnamed } from '../folder/misnamed-folders.ts';
import type { Host } from '../host/host.ts';
import { createCommandFormatter, toPathArgument } from '../text/shell-quote.ts';

/** Refuses an empty ID|NAME before any request. */
export function requireNonEmpty(idOrName: string): string {
  if (idOrName === '')
    throw new CliError('usage', 'the name is empty; wanted is the id or the exact name of a formula');
  return idOrName;
}

/** The path of a folder that was typed. Raises usage (2) when it is not a folder, or the working folder is gone. */
export function resolveFolder(typedPath: string, host: Host): string {
  if (typedPath === '') throw new CliError('usage', 'the folder is empty; wanted is the path of a formula folder');
  try {
    const path = isAbsolute(typedPath) ? typedPath : join(host.cwd(), typedPath);
    if (statSync(path).isDirectory()) return path;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && syscall !== 'uv_cwd') assertUtf8Path(typedPath, host);
    if (code === 'ENOENT' && syscall !== 'uv_cwd')
      throw new CliError('usage', `there is no folder ${typedPath}`, {
        hint: `check the spelling, or make it with: ${createCommandFormatter(host.platform)('formula init', toPathArgument(typedPath))}`,
      });
    throw fileUsageError(`the folder ${typedPath} cannot be read`, error);
  }
  throw new CliError('usage', `${typedPath} is not a folder; wanted is a folder with manifest.json and code.js`);
}

/** Node.js has another name for what is not UTF-8, which does not exist. Raises usage (2). */
function assertUtf8Path(typedPath: string, host: Host): void {
  if (!mayBeMisnamed(join(host.cwd(), typedPath))) return;
  const subject = mayBeMisnamed(typedPath) ? `the path ${typedPath}` : 'the path of the current folder';
  throw new CliError('usage', `${subject} must be UTF-8`, { hint: 'Rename the folder.' });
}

/** A folder as it was typed, but with `/`, and where it is. Raises usage (2) as above. */
export const resolveFolderRef = (typedPath: string, host: Host): FolderRef => ({
  typed: toSlashes(typedPath),
  path: resolveFolder(typedPath, host),
});
