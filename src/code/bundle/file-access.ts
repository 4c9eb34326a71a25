/** All file access of the bundler: regular files of the repository and of packages, within limits of size. */
import { basename, dirname, join, relative } from 'node:path';
import { describeFsError } from '../../files/file-errors.ts';
import { findRealPath, isWithin, splitPath, toRelative } from '../../files/paths.ts';
import { findRepository } from '../../files/repository.ts';
import type { OpenArchive } from './archive.ts';
import type { BundleContext } from './bundle-context.ts';
import { BundleError } from './bundle-error.ts';
import { type Disk, openDisk } from './disk.ts';
import { isPackageFile } from './file-kind.ts';
import { MAX_FILE_BYTES, MAX_TOTAL_BYTES, MIB } from './limits.ts';
import { createOverlayDisk } from './overlay-disk.ts';

export interface FileAccess extends Omit<Disk, 'read' | 'list'> {
  /** The real paths of the formula's folder and of the repository. */
  readonly folder: string;
  readonly repository: string;
  /** Relative to the formula's folder, with `/`. */
  toDisplayPath(path: string): string;
  isPackageFile(path: string): boolean;
  /** Whether a path is in the repository, but not in a `node_modules` folder. */
  isRepositoryFile(path: string): boolean;
  /** Allows reading files of a package that was found by its bare name. Throws BundleError. */
  admitPackage(folder: string): void;
  /** The folder of the linked package of the repository that contains the path. */
  findLinkedPackage(path: string): string | undefined;
  /** Throws BundleError if the file with this real path must not be bundled. */
  assertAllowed(real: string): void;
  /** Reports a file that the bundle would contain if it existed, to be watched. */
  noteMissing(path: string): void;
  /** The content of an imported file. Throws BundleError. */
  readInput(path: string): Buffer;
  /** The text of package.json or tsconfig.json; undefined if there is none. Throws BundleError. */
  readConfigFile(path: string, limit: number): string | undefined;
  /** The text of Yarn's package table, a dot file of the repository. Throws BundleError. */
  readPnpTable(path: string, limit: number): string;
  /** Throws BundleError for a folder that may not be read. */
  list: Disk['list'];
}

const OUTSIDE_FIX = 'Move the file into the repository, or install it as a package.';

export function openFileAccess(formula: string, context: BundleContext, openArchive?: OpenArchive): FileAccess {
  const disk = context.changed ? createOverlayDisk(openDisk(openArchive), context.changed) : openDisk(openArchive);
  const folder = findRealPath(formula) ?? formula;
  const repository = findRepository(folder, context);
  const excludedFolders = context.excludedFolders.flatMap((path) => [path, findRealPath(path) ?? path]);
  const tests = findRealPath(join(folder, 'tests')) ?? join(folder, 'tests');
  const packageFolders = new Set<string>();
  const linked = new Set<string>();
  let total = 0;

  const toDisplayPath = (path: string) => toRelative(folder, path) || '.';
  const isInRepository = (real: string) => isWithin(real, repository);
  const isRepositoryFile = (real: string) => isInRepository(real) && !isInPackages(relative(repository, real));
  const isPackage = (real: string) =>
    isInRepository(real)
      ? isInPackages(relative(repository, real))
      : [...packageFolders].some((packages) => isWithin(real, packages));

  function assertAllowed(real: string): void {
    const name = toDisplayPath(real);
    if (excludedFolders.some((path) => isWithin(real, path)))
      throw new BundleError(`cannot bundle ${name}: the folders that formulary itself uses are never bundled`);
    if (isPackage(real)) return;
    if (!isInRepository(real))
      throw new BundleError(`cannot bundle ${name}: it is outside the repository and not in a package`, OUTSIDE_FIX);
    if (isDotPath(relative(repository, real)))
      throw new BundleError(`cannot bundle ${name}: files and folders whose name starts with a dot are never bundled`);
    if (isWithin(real, tests)) throw new BundleError(`cannot bundle ${name}: the tests of a formula are never bundled`);
  }

  function read(path: string, limit: number): Buffer {
    if (isInRepository(path) && !isPackage(path)) context.onRead?.(path);
    try {
      return disk.read(path, limit);
    } catch (error) {
      throw new BundleError(`cannot read ${toDisplayPath(path)}: ${describeReadError(error, limit)}`);
    }
  }

  return {
    getKind: disk.getKind,
    realPath: disk.realPath,
    noteMissing: (path) => {
      if (isRepositoryFile(path)) context.onRead?.(path);
    },
    list: (path) => {
      assertAllowed(path);
      return disk.list(path);
    },
    folder,
    repository,
    toDisplayPath,
    isPackageFile: isPackage,
    isRepositoryFile,
    admitPackage: (path) => {
      const packages = findPackagesFolder(path);
      if (packages !== undefined) {
        packageFolders.add(packages);
        return;
      }
      assertAllowed(path);
      if (path !== repository && !isWithin(folder, path)) linked.add(path);
    },
    findLinkedPackage: (path) => [...linked].find((one) => isWithin(path, one)),
    assertAllowed,
    readInput: (path) => {
      const real = disk.realPath(path) ?? path;
      assertAllowed(real);
      if (isPackage(real) && !isPackageFile(real))
        throw new BundleError(
          `cannot bundle ${toDisplayPath(real)}: only code, JSON, and WebAssembly of a package are bundled`,
        );
      const bytes = read(real, MAX_FILE_BYTES);
      total += bytes.length;
      if (total <= MAX_TOTAL_BYTES) return bytes;
      throw new BundleError(
        `cannot bundle ${toDisplayPath(real)}: imported files must have at most ${MAX_TOTAL_BYTES / MIB} MiB in total`,
      );
    },
    readConfigFile: (path, limit) => {
      if (disk.getKind(path) !== 'file') return undefined;
      const real = disk.realPath(path) ?? path;
      assertAllowed(real);
      return read(real, limit).toString('utf8');
    },
    readPnpTable: (path, limit) => {
      const real = disk.realPath(path) ?? path;
      if (!isInRepository(real)) assertAllowed(real);
      return read(real, limit).toString('utf8');
    },
  };
}

const describeReadError = (error: unknown, limit: number) =>
  (error as NodeJS.ErrnoException).code === 'EFBIG'
    ? `it is larger than ${limit / MIB} MiB (EFBIG)`
    : describeFsError(error);

const isDotPath = (path: string) => splitPath(path).some((segment) => segment.startsWith('.'));

const isInPackages = (path: string) => splitPath(path).includes('node_modules');

/** The `node_modules` folder that directly contains a package, scoped or not; undefined if it is in none. */
function findPackagesFolder(path: string): string | undefined {
  const parent = dirname(path);
  const packages = basename(parent).startsWith('@') ? dirname(parent) : parent;
  return basename(packages) === 'node_modules' ? packages : undefined;
}
