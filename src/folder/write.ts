/** Writes folders and files whole or not at all, and looks for symbolic links that would lead a write elsewhere. */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { CliError } from '../errors.ts';

/**
 * Writes files (by relative name) as the new folder `path`, whose parents are made. The folder comes into being
 * whole: it is written beside its place and moved there. Raises usage (2) when anything is there already, or it
 * cannot be written; then nothing is left behind. `typed` is the path for messages.
 */
export function writeNewFolder(path: string, typed: string, files: Readonly<Record<string, string | Buffer>>): void {
  const found = contentOf(path);
  if (found === 'file') throw new CliError('usage', `${typed} is a file; wanted is a new folder`, NEW_NAME);
  if (found !== 'nothing' && found.length > 0) {
    const names = found.slice(0, 4).join(', ');
    throw new CliError(
      'usage',
      `the folder ${typed} holds something already (${names}); nothing was written`,
      NEW_NAME,
    );
  }
  const draft = join(dirname(path), `.${basename(path)}-${randomUUID().slice(0, 8)}`);
  try {
    makeFolders(draft);
    for (const [name, text] of Object.entries(files)) {
      makeFolders(dirname(join(draft, name)));
      writeFileSync(join(draft, name), text);
    }
    if (found !== 'nothing') rmdirSync(path);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new CliError('usage', `${typed} cannot be written (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
}

const NEW_NAME = { hint: 'name a folder that does not exist yet' };

function contentOf(path: string): 'file' | 'nothing' | readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'nothing';
    if (code === 'ENOTDIR') return 'file';
    throw error;
  }
}

/** Writes files into a folder that is there, each whole, in the order given; before that removes those of `removed`. Raises usage (2). */
export function writeIntoFolder(
  path: string,
  typed: string,
  files: ReadonlyMap<string, string | Buffer>,
  removed: readonly string[],
): void {
  try {
    for (const name of removed) rmSync(join(path, name));
    for (const [name, content] of files) writeFileWhole(join(path, name), content);
  } catch (error) {
    throw new CliError('usage', `${typed} cannot be written (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
}

/**
 * The first symbolic link on the way from `root` (absolute and real) to a folder below it, or among the folder's
 * files that `isWritten` picks; undefined when there is none.
 */
export function findLink(root: string, folder: string, isWritten: (name: string) => boolean): string | undefined {
  const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  let path = root;
  for (const part of relative(root, folder).split(sep)) {
    path = join(path, part);
    if (isLink(path)) return path;
  }
  const found = contentOf(folder);
  if (typeof found === 'string') return undefined;
  return found
    .filter(isWritten)
    .map((name) => join(folder, name))
    .find(isLink);
}

/** Whether an absolute path is a folder or below it. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Writes a file whole: beside its place first, then moved there; `mode` holds under any umask. Throws the file system's error. */
export function writeFileWhole(path: string, text: string | Uint8Array, mode?: number): void {
  const draft = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode, flush: mode !== undefined });
    if (mode !== undefined) chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Why a file could not be written at this path, or undefined; leaves nothing behind. */
export function canWriteFile(path: string): string | undefined {
  const draft = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'EISDIR';
    writeFileSync(draft, '', { flag: 'wx' });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Makes a folder and what is missing above it, each with `mode` under any umask. Not mkdir's own `recursive`, which never ends below /proc.
 * Throws the file system's error.
 */
export function makeFolders(path: string, mode?: number): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
    if (mode !== undefined) chmodSync(path, mode);
  } catch (error) {
    // Another process may have made it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
