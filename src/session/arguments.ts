/** Checks the arguments that specify formulas and folders. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { toSlashes } from '../files/paths.ts';
import { type Folder, mayBeMisnamed } from '../folder/find-folders.ts';
import { readManifestName } from '../folder/manifest.ts';
import type { Host } from '../host/host.ts';
import { suggest } from '../text/did-you-mean.ts';
import { createCommandFormatter, toPathArgument } from '../text/shell-quote.ts';

/** Raises usage (2) for an empty ID|NAME, before any request. */
export function requireNonEmpty(idOrName: string): string {
  if (idOrName === '')
    throw new CliError('usage', 'ID|NAME must be the id or the exact name of a formula (got an empty string)');
  return idOrName;
}

/** The absolute path of a folder; `argument` is its name in messages. Raises usage (2) if it is not a folder, or the current folder was removed. */
export function resolveFolder(typedPath: string, host: Host, argument = 'DIR'): string {
  if (typedPath === '')
    throw new CliError('usage', `${argument} must be the path of a formula folder (got an empty string)`);
  try {
    const path = isAbsolute(typedPath) ? typedPath : join(host.cwd(), typedPath);
    if (statSync(path).isDirectory()) return path;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && syscall !== 'uv_cwd') assertUtf8Path(typedPath, host);
    if (code === 'ENOENT' && syscall !== 'uv_cwd') throw missingFolderError(typedPath, host);
    throw fileUsageError(`could not read the folder ${typedPath}`, error);
  }
  throw new CliError('usage', `${typedPath} is a file; expected a formula folder with manifest.json and code.js`);
}

function missingFolderError(typedPath: string, { cwd, platform }: Host): CliError {
  const similar = suggest(basename(typedPath), listFolderNames(resolve(cwd(), typedPath, '..')));
  if (similar !== undefined) {
    const path = toSlashes(join(dirname(typedPath), similar));
    return new CliError('usage', `no such directory: ${typedPath}; did you mean ${path}?`);
  }
  return new CliError('usage', `no such directory: ${typedPath}`, {
    hint: `To create it, run: ${createCommandFormatter(platform)('formula init', toPathArgument(typedPath))}`,
  });
}

function listFolderNames(path: string): string[] {
  const entries = attempt(() => readdirSync(path, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** Raises usage (2) for a path that is not UTF-8: Node.js decodes it to a path that does not exist. */
function assertUtf8Path(typedPath: string, host: Host): void {
  if (!mayBeMisnamed(join(host.cwd(), typedPath))) return;
  const subject = mayBeMisnamed(typedPath) ? `the path ${typedPath}` : 'the path of the current folder';
  throw new CliError('usage', `${subject} must be UTF-8`, { hint: 'Rename the folder.' });
}

/** A folder argument, with `/` as its separator, and its absolute path. Raises usage (2) like `resolveFolder`. */
export const resolveFolderRef = (typedPath: string, host: Host, argument?: 'DIR' | 'PATH'): Folder => ({
  displayPath: toSlashes(typedPath),
  path: resolveFolder(typedPath, host, argument),
});

/** Explains a not_found (5) for an argument that is a folder instead of the id or name of a formula. */
export async function withFolderHint<T>(idOrName: string, host: Host, search: Promise<T>): Promise<T> {
  try {
    return await search;
  } catch (error) {
    const isMissing = error instanceof CliError && error.outcome === 'not_found';
    const name = isMissing ? readManifestName(resolve(host.cwd(), idOrName)) : undefined;
    if (name === undefined) throw error;
    throw new CliError('not_found', `${idOrName} is a folder, not the id or name of a formula`, {
      hint: `Use the name of its formula: ${JSON.stringify(name)}`,
      cause: error,
    });
  }
}
