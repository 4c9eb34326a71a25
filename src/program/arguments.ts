/** The words that name formulas and folders on the command line. */

import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileRefusal } from '../files/file-errors.ts';
import { toSlashes } from '../files/paths.ts';
import type { Place } from '../folder/find-folders.ts';
import { mayBeMisnamed } from '../folder/misnamed-folders.ts';
import type { Host } from '../host/host.ts';
import { commandLine, pathArgument } from '../text/shell-quote.ts';

/** Refuses an empty ID|NAME before any request. */
export function checkedWord(word: string): string {
  if (word === '') throw new CliError('usage', 'the name is empty; wanted is the id or the exact name of a formula');
  return word;
}

/** The path of a folder that was typed. Raises usage (2) when it is not a folder, or the working folder is gone. */
export function checkedFolder(typed: string, host: Host): string {
  if (typed === '') throw new CliError('usage', 'the folder is empty; wanted is the path of a formula folder');
  try {
    const path = isAbsolute(typed) ? typed : join(host.cwd(), typed);
    if (statSync(path).isDirectory()) return path;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && syscall !== 'uv_cwd') refuseMisnamed(typed, host);
    if (code === 'ENOENT' && syscall !== 'uv_cwd')
      throw new CliError('usage', `there is no folder ${typed}`, {
        hint: `check the spelling, or make it with: ${commandLine(host.platform)('formula init', pathArgument(typed))}`,
      });
    throw fileRefusal(`the folder ${typed} cannot be read`, error);
  }
  throw new CliError('usage', `${typed} is not a folder; wanted is a folder with manifest.json and code.js`);
}

/** Node.js has another name for what is not UTF-8, which does not exist. Raises usage (2). */
function refuseMisnamed(typed: string, host: Host): void {
  if (!mayBeMisnamed(join(host.cwd(), typed))) return;
  const what = mayBeMisnamed(typed) ? `the path ${typed}` : 'the path of the current folder';
  throw new CliError('usage', `${what} must be UTF-8`, { hint: 'Rename the folder.' });
}

/** A folder as it was typed, but with `/`, and where it is. Raises usage (2) as above. */
export const checkedPlace = (typed: string, host: Host): Place => ({
  typed: toSlashes(typed),
  path: checkedFolder(typed, host),
});
