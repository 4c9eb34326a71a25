/** Files that the user names for output, such as reports: written whole, and never through a link of the repository. */
import { closeSync, constants, fstatSync, lstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { assertWritable, makeFolders, writeFileAtomic } from './atomic-write.ts';
import { fileUsageError } from './file-errors.ts';
import { findRealPath, isWithin, realPath } from './paths.ts';
import { isInRepository } from './repository.ts';

/** A file for output, as it was typed. */
export interface OutputFile {
  /** For messages: `report`. */
  label: string;
  typedPath: string;
  /** Formula folders, or folders of them: what is in them may come from a stranger. */
  formulaPaths: readonly string[];
}

type OutputHost = Pick<Host, 'cwd' | 'home' | 'stdout' | 'stderr'>;

/**
 * Checks that the file can be written, and returns what writes it, with missing folders above it. Links, and links below
 * the repository, are refused: a pull request may contain one that points to any file of the user. Raises usage (2), both
 * at once and when the file is written.
 */
export function openOutputFile(file: OutputFile, host: OutputHost): (text: string) => void {
  const write = withUsageErrors(file, () => openWriter(resolve(host.cwd(), file.typedPath), file, host));
  return (text) => withUsageErrors(file, () => write(text));
}

function withUsageErrors<T>({ label, typedPath }: OutputFile, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof CliError ? error : fileUsageError(`the ${label} ${typedPath} cannot be written`, error);
  }
}

function openWriter(path: string, file: OutputFile, host: OutputHost): (text: string) => void {
  const descriptor = parseDescriptorPath(path);
  if (descriptor !== undefined) return createDescriptorWriter(descriptor, host);
  assertNoSymlinks(path, file, host);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isFile()) {
    assertWritable(stats ? path : findNearestExisting(path));
    return (text) => {
      // Code of a formula may have run since.
      assertNoSymlinks(path, file, host);
      makeFolders(dirname(path));
      writeFileAtomic(path, text, stats && stats.mode & 0o7777);
    };
  }
  if (stats.isFIFO() || stats.isCharacterDevice()) return openPipeWriter(path);
  throw notWritableError(file, `it is ${stats.isDirectory() ? 'a folder' : stats.isSocket() ? 'a socket' : 'a disk'}`);
}

/** The number of an open file that a path stands for: links to it are the system's own. */
function parseDescriptorPath(path: string): number | undefined {
  const [, name, number] = /^\/dev\/(stdout|stderr)$|^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/.exec(path) ?? [];
  if (name !== undefined) return name === 'stdout' ? 1 : 2;
  return number === undefined ? undefined : Number(number);
}

function createDescriptorWriter(descriptor: number, { stdout, stderr }: OutputHost): (text: string) => void {
  if (descriptor === 1 || descriptor === 2) {
    const stream = descriptor === 1 ? stdout : stderr;
    return (text) => stream.write(text);
  }
  fstatSync(descriptor);
  return (text) => writeFileSync(descriptor, text);
}

function assertNoSymlinks(path: string, file: OutputFile, { cwd, home }: OutputHost): void {
  const roots = file.formulaPaths.flatMap((root) => findRealPath(resolve(cwd(), root)) ?? []);
  for (let current = path; dirname(current) !== current; current = dirname(current)) {
    if (!isSymlink(current)) continue;
    const folder = realPath(dirname(current));
    const isUntrusted = isInRepository(folder, { cwd: cwd(), home }) || roots.some((root) => isWithin(folder, root));
    if (current === path || isUntrusted)
      throw notWritableError(file, `${current === path ? 'it' : current} is a symbolic link`);
  }
}

/** A file in place of a folder is the file system's to refuse. */
function isSymlink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** A file in the nearest folder that exists, where the missing ones would be created. */
function findNearestExisting(path: string): string {
  let at = path;
  while (!statSync(dirname(at), { throwIfNoEntry: false }) && dirname(at) !== at) at = dirname(at);
  return at;
}

function openPipeWriter(path: string): (text: string) => void {
  // Not waiting for a reader; kept open, so that one who reads a pipe does not meet its end before the report.
  const descriptor = openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
  return (text) => {
    try {
      writeFileSync(path, text);
    } finally {
      closeSync(descriptor);
    }
  };
}

const notWritableError = ({ label, typedPath }: OutputFile, problem: string) =>
  new CliError('usage', `the ${label} ${typedPath} cannot be written: ${problem}`, {
    hint: 'Use the path of a regular file.',
  });
