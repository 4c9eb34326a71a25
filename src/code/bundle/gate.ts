/**
 * Everything that the bundler reads goes through this gate: regular files of the repository and of packages, each and
 * all together within limits.
 */
import { basename, dirname, join, relative } from 'node:path';
import { reasonOf } from '../../files/file-errors.ts';
import { findRealPath, isWithin, splitPath, toRelative } from '../../files/paths.ts';
import { findRepository } from '../../files/repository.ts';
import type { OpenArchive } from './archive.ts';
import { type Disk, openDisk } from './disk.ts';
import { isPackageFile } from './file-kind.ts';
import { MAX_FILE_BYTES, MAX_TOTAL_BYTES, MIB } from './limits.ts';
import { Refusal } from './refusal.ts';
import type { Surroundings } from './surroundings.ts';

export interface Gate extends Omit<Disk, 'read' | 'list'> {
  /** The real path of the formula's folder, and of the repository. */
  readonly folder: string;
  readonly repository: string;
  /** A path as it is shown: relative to the formula's folder, with `/`. */
  nameOf(path: string): string;
  isPackageFile(path: string): boolean;
  /** Whether a path is in the repository and in no `node_modules` folder of it. */
  isRepositoryFile(path: string): boolean;
  /** From now on files of the package in this folder, found by its bare name, may be read. Throws Refusal. */
  admitPackage(folder: string): void;
  /** The folder of a package that is linked from another folder of the repository, if the path is in one. */
  linkedPackage(path: string): string | undefined;
  /** Throws Refusal if the file with this real path must not be bundled. */
  checkPlace(real: string): void;
  /** Tells whoever watches the files of the bundle of one that it would contain, if it existed. */
  noteMissing(path: string): void;
  /** The content of an imported file. Throws Refusal. */
  readInput(path: string): Buffer;
  /** The text of a settings file (package.json, tsconfig.json); undefined where there is none. Throws Refusal. */
  readSettings(path: string, limit: number): string | undefined;
  /** The text of the package table of Yarn, a dot file of the repository. Throws Refusal. */
  readTable(path: string, limit: number): string;
  /** Files and folders in a folder of the repository or of a package, without links. Throws Refusal. */
  list: Disk['list'];
}

const OUTSIDE_FIX = 'Move the file into the repository, or install it as a package.';

export function openGate(formula: string, surroundings: Surroundings, openArchive?: OpenArchive): Gate {
  const disk = openDisk(openArchive);
  const folder = findRealPath(formula) ?? formula;
  const repository = findRepository(folder, surroundings);
  const closed = surroundings.closed.flatMap((path) => [path, findRealPath(path) ?? path]);
  const tests = findRealPath(join(folder, 'tests')) ?? join(folder, 'tests');
  const packageFolders = new Set<string>();
  const linked = new Set<string>();
  let total = 0;

  const nameOf = (path: string) => toRelative(folder, path) || '.';
  const isInRepository = (real: string) => isWithin(real, repository);
  const isRepositoryFile = (real: string) => isInRepository(real) && !isInPackages(relative(repository, real));
  const isPackage = (real: string) =>
    isInRepository(real)
      ? isInPackages(relative(repository, real))
      : [...packageFolders].some((packages) => isWithin(real, packages));

  /** Throws unless a file or folder with this real path may be looked into. */
  function checkPlace(real: string): void {
    const name = nameOf(real);
    if (closed.some((path) => isWithin(real, path)))
      throw new Refusal(`cannot bundle ${name}: the folders that formulary itself uses are never bundled`);
    if (isPackage(real)) return;
    if (!isInRepository(real))
      throw new Refusal(`cannot bundle ${name}: it is outside the repository and not in a package`, OUTSIDE_FIX);
    if (isDotPath(relative(repository, real)))
      throw new Refusal(`cannot bundle ${name}: files and folders whose name starts with a dot are never bundled`);
    if (isWithin(real, tests)) throw new Refusal(`cannot bundle ${name}: the tests of a formula are never bundled`);
  }

  function read(path: string, limit: number): Buffer {
    if (isInRepository(path) && !isPackage(path)) surroundings.onRead?.(path);
    try {
      return disk.read(path, limit);
    } catch (error) {
      throw new Refusal(`cannot read ${nameOf(path)}: ${readReason(error, limit)}`);
    }
  }

  return {
    kindOf: disk.kindOf,
    realPath: disk.realPath,
    noteMissing: (path) => {
      if (isRepositoryFile(path)) surroundings.onRead?.(path);
    },
    list: (path) => {
      checkPlace(path);
      return disk.list(path);
    },
    folder,
    repository,
    nameOf,
    isPackageFile: isPackage,
    isRepositoryFile,
    admitPackage: (path) => {
      const packages = packagesFolder(path);
      if (packages !== undefined) {
        packageFolders.add(packages);
        return;
      }
      checkPlace(path);
      if (path !== repository && !isWithin(folder, path)) linked.add(path);
    },
    linkedPackage: (path) => [...linked].find((one) => isWithin(path, one)),
    checkPlace,
    readInput: (path) => {
      const real = disk.realPath(path) ?? path;
      checkPlace(real);
      if (isPackage(real) && !isPackageFile(real))
        throw new Refusal(`cannot bundle ${nameOf(real)}: only code, JSON, and WebAssembly of a package are bundled`);
      const bytes = read(real, MAX_FILE_BYTES);
      total += bytes.length;
      if (total <= MAX_TOTAL_BYTES) return bytes;
      throw new Refusal(
        `cannot bundle ${nameOf(real)}: imported files must have at most ${MAX_TOTAL_BYTES / MIB} MiB in total`,
      );
    },
    readSettings: (path, limit) => {
      if (disk.kindOf(path) !== 'file') return undefined;
      const real = disk.realPath(path) ?? path;
      checkPlace(real);
      return read(real, limit).toString('utf8');
    },
    readTable: (path, limit) => {
      const real = disk.realPath(path) ?? path;
      if (!isInRepository(real)) checkPlace(real);
      return read(real, limit).toString('utf8');
    },
  };
}

const readReason = (error: unknown, limit: number) =>
  (error as NodeJS.ErrnoException).code === 'EFBIG' ? `it is larger than ${limit / MIB} MiB (EFBIG)` : reasonOf(error);

const isDotPath = (path: string) => splitPath(path).some((segment) => segment.startsWith('.'));

const isInPackages = (path: string) => splitPath(path).includes('node_modules');

/** The `node_modules` folder that directly contains a package, scoped or not; undefined if it is in none. */
function packagesFolder(path: string): string | undefined {
  const parent = dirname(path);
  const packages = basename(parent).startsWith('@') ? dirname(parent) : parent;
  return basename(packages) === 'node_modules' ? packages : undefined;
}
