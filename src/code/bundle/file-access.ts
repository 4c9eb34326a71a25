/** All file access of the bundler: regular files of the repository and of packages, within limits of size. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { describeFsError } from '../../files/file-errors.ts';
import { findRealPath, isWithin, splitPath, toRelative } from '../../files/paths.ts';
import { createFileError } from '../../files/regular-file.ts';
import { findRepository, listAncestors, type RepositoryLimits } from '../../files/repository.ts';
import { tryStat } from '../../files/try-stat.ts';
import { readArchived, readLimited } from './archive.ts';
import { isPackageFile as isBundledOfPackage } from './file-kind.ts';
import { MAX_FILE_BYTES, MAX_TOTAL_BYTES, MIB } from './limits.ts';
import { BundleError } from './messages.ts';
import { getPackageName, parsePackageName } from './package-name.ts';

/** The environment of a bundle. */
export interface BundleContext extends RepositoryLimits {
  /** The tool's own folders, whose files are never bundled. */
  excludedFolders: readonly string[];
  /** Files that have another content than on the disk, by their real paths; undefined for one that does not exist. */
  changed?: ReadonlyMap<string, Buffer | undefined>;
  /** Called before each file of the repository is read, with its real path. */
  onRead?: (file: string) => void;
  /** The environment variables, from which git gets those that locate its settings. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

export type FileAccess = ReturnType<typeof openFileAccess>;

const OUTSIDE = { fix: 'Move the file into the repository, or install it as a package.' };

/** Throws BundleError for what must not be bundled or cannot be read. Real paths are meant unless a comment says otherwise. */
export function openFileAccess(formula: string, context: BundleContext) {
  const folder = findRealPath(formula) ?? formula;
  const repository = findRepository(folder, context);
  const excludedFolders = context.excludedFolders.flatMap((path) => [path, findRealPath(path) ?? path]);
  const tests = findRealPath(join(folder, 'tests')) ?? join(folder, 'tests');
  const hasPnp = hasPnpTable(folder);
  /** Files of the repository with another content, or none. */
  const changed = context.changed ?? new Map<string, Buffer | undefined>();
  const packageFolders = new Set<string>();
  const linked = new Set<string>();
  const realPaths = new Map<string, string | undefined>();
  let total = 0;

  /** Relative to the formula's folder, with `/`. */
  const toDisplayPath = (path: string) => toRelative(folder, path) || '.';
  const isInRepository = (path: string) => isWithin(path, repository);
  const isPackageFile = (path: string) =>
    isInRepository(path)
      ? isInPackages(relative(repository, path))
      : [...packageFolders].some((packages) => isWithin(path, packages));
  const isRepositoryFile = (path: string) => isInRepository(path) && !isPackageFile(path);

  /** Reports a file of the repository to be watched, also a missing one that the bundle would contain. */
  const noteInput = (path: string) => {
    if (isRepositoryFile(path)) context.onRead?.(path);
  };

  function assertAllowed(path: string): void {
    const refuse = (reason: string, detail?: { fix: string }) => {
      throw new BundleError(`cannot bundle ${toDisplayPath(path)}: ${reason}`, detail);
    };
    if (excludedFolders.some((one) => isWithin(path, one)))
      refuse('the folders that formulary itself uses are never bundled');
    if (isPackageFile(path)) return;
    if (!isInRepository(path)) refuse('it is outside the repository and not in a package', OUTSIDE);
    if (splitPath(relative(repository, path)).some((segment) => segment.startsWith('.')))
      refuse('files and folders whose name starts with a dot are never bundled');
    if (isWithin(path, tests)) refuse('the tests of a formula are never bundled');
  }

  function read(path: string, limit: number): Buffer {
    noteInput(path);
    try {
      const content = changed.get(path);
      if (content) return content;
      if (changed.has(path)) throw createFileError('ENOENT', path);
      const [, archive = '', name = ''] = (hasPnp && ARCHIVE.exec(path)) || [];
      return name === '' ? readLimited(path, limit) : readArchived(archive, name.replaceAll('\\', '/'), limit);
    } catch (error) {
      throw new BundleError(`cannot read ${toDisplayPath(path)}: ${describeReadError(error, limit)}`);
    }
  }

  /** Of any path. In an archive of Yarn, only the path of the archive is resolved. */
  function realPath(path: string): string | undefined {
    if (changed.get(path)) return path;
    if (!realPaths.has(path)) realPaths.set(path, findRealOrArchived(path));
    return realPaths.get(path);
  }

  /** Allows reading the packages next to a file that was found by the name of a package. */
  function admitPackage(path: string, specifier: string, from: string): void {
    const name = parsePackageName(path);
    const installed = [getPackageName(specifier), name].map((one) => one && findInstalled(one, from));
    const found = installed.find((one) => one && isWithin(path, one));
    if (isInRepository(path)) {
      if (found && !isPackageFile(path) && found !== repository && !isWithin(folder, found)) linked.add(found);
    } else if (name !== undefined && (found || hasPnp)) packageFolders.add(findPackagesFolder(path));
  }

  /** The linked package of the repository that contains a path. */
  const findLinkedPackage = (path: string) => [...linked].find((one) => isWithin(path, one));

  /** Reads an imported file, and counts its size. */
  function readInput(path: string): Buffer {
    assertAllowed(path);
    const name = toDisplayPath(path);
    if (isPackageFile(path) && !isBundledOfPackage(path))
      throw new BundleError(`cannot bundle ${name}: only code, JSON, and WebAssembly of a package are bundled`);
    const bytes = read(path, MAX_FILE_BYTES);
    total += bytes.length;
    if (total <= MAX_TOTAL_BYTES) return bytes;
    const limit = `imported files must have at most ${MAX_TOTAL_BYTES / MIB} MiB in total`;
    throw new BundleError(`cannot bundle ${name}: ${limit}`);
  }

  /** The files and folders of a folder, without links, sorted by name. */
  function list(path: string) {
    assertAllowed(path);
    return listFolder(path, changed);
  }

  const state = { folder, repository, changed };
  const questions = { realPath, toDisplayPath, isPackageFile, isRepositoryFile, findLinkedPackage };
  return { ...state, ...questions, admitPackage, assertAllowed, noteInput, read, readInput, list };
}

const describeReadError = (error: unknown, limit: number) =>
  (error as NodeJS.ErrnoException).code === 'EFBIG'
    ? `it is larger than ${limit / MIB} MiB (EFBIG)`
    : describeFsError(error);

const isInPackages = (path: string) => splitPath(path).includes('node_modules');

/** The real path of a package that is installed for a folder; undefined if none has this name. */
export function findInstalled(name: string, from: string): string | undefined {
  const folders = listAncestors(from).filter((folder) => basename(folder) !== 'node_modules');
  const path = folders.map((folder) => join(folder, 'node_modules', name)).find((one) => existsSync(one));
  return path && findRealPath(path);
}

/** The `node_modules` folder of a package's file. */
const findPackagesFolder = (path: string): string =>
  listAncestors(dirname(path)).find((folder) => basename(folder) === 'node_modules') ?? path;

function listFolder(folder: string, changed: ReadonlyMap<string, Buffer | undefined>) {
  const entries = new Map<string, boolean>();
  if (tryStat(folder)?.isDirectory())
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() || entry.isFile()) entries.set(entry.name, entry.isDirectory());
  for (const [path, content] of changed) {
    const [name = '', ...rest] = isWithin(path, folder) ? splitPath(relative(folder, path)) : [];
    if (content && name !== '') entries.set(name, rest.length > 0);
    else if (rest.length === 0) entries.delete(name);
  }
  return [...entries].map(([name, isFolder]) => ({ name, isFolder })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Yarn's tables of packages, which esbuild reads as data. */
export const PNP_FILES = ['.pnp.data.json', '.pnp.cjs', '.pnp.js'];

const hasPnpTable = (folder: string): boolean =>
  listAncestors(folder).some((one) => PNP_FILES.some((name) => existsSync(join(one, name))));

/** Yarn keeps packages in zip archives. */
const ARCHIVE = /^(.*?\.zip)[/\\](.*)$/s;

function findRealOrArchived(virtual: string): string | undefined {
  const path = resolveVirtualPath(virtual);
  const [, file, rest = ''] = ARCHIVE.exec(path) ?? [];
  const archive = file === undefined ? undefined : findRealPath(file);
  return archive === undefined ? findRealPath(path) : join(archive, rest);
}

/** Yarn's `__virtual__/ID/N` in a path means: N folders higher. So a package can exist with different dependencies. */
function resolveVirtualPath(path: string): string {
  const parts = splitPath(path);
  const at = parts.findIndex((part) => part === '__virtual__' || part === '$$virtual');
  const up = Number(parts[at + 2]);
  if (at < 0 || !Number.isInteger(up) || up < 0 || up > at) return path;
  return normalize([...parts.slice(0, at - up), ...parts.slice(at + 3)].join('/'));
}
