/** Output files of flags, such as reports: written atomically, and never through a symbolic link of the repository. */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { assertWritable, makeFolders, writeFileAtomic } from './atomic-write.ts';
import { fileUsageError } from './file-errors.ts';
import { findRealPath, isWithin, realPath } from './paths.ts';
import { isInRepository, listAncestors } from './repository.ts';
import { tryLstat } from './try-stat.ts';

interface OutputFile {
  /** For messages: `report`. */
  label: string;
  typedPath: string;
  /** Folders whose content is untrusted. */
  formulaPaths: readonly string[];
  /** Permissions; otherwise those of the file that is replaced. */
  mode?: number;
}

type OutputHost = Pick<Host, 'cwd' | 'home' | 'stdout' | 'stderr'>;

/**
 * Checks that the file can be written, and returns a function that writes it and creates missing folders. Symbolic links
 * of the repository are rejected: one in a pull request may point to any file of the user. Both raise usage (2).
 */
export function openOutputFile(file: OutputFile, host: OutputHost): (text: string) => void {
  const write = withUsageErrors(file, () => openWriter(resolve(host.cwd(), file.typedPath), file, host));
  return (text) => withUsageErrors(file, () => write(text));
}

function withUsageErrors<T>({ label, typedPath }: OutputFile, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw fileUsageError(`could not write the ${label} ${typedPath}`, error);
  }
}

function openWriter(path: string, file: OutputFile, host: OutputHost): (text: string) => void {
  const descriptor = parseDescriptorPath(path);
  if (descriptor !== undefined) return createDescriptorWriter(descriptor, host);
  assertNoSymlinks(path, file, host);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isFile()) {
    assertWritable(stats ? path : findFirstMissing(path));
    return (text) => {
      // Checked again, since formula code may have run.
      assertNoSymlinks(path, file, host);
      makeFolders(dirname(path));
      writeFileAtomic(path, text, file.mode ?? (stats && stats.mode & 0o7777));
    };
  }
  if (stats.isFIFO() || stats.isCharacterDevice()) return openPipeWriter(path);
  throw notWritableError(file, `it is ${stats.isDirectory() ? 'a folder' : stats.isSocket() ? 'a socket' : 'a disk'}`);
}

/** The file descriptor of a path such as /dev/stdout, whose symbolic links belong to the system. */
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
  for (const current of listAncestors(path)) {
    if (!tryLstat(current)?.isSymbolicLink()) continue;
    const folder = realPath(dirname(current));
    const isUntrusted = isInRepository(folder, { cwd: cwd(), home }) || roots.some((root) => isWithin(folder, root));
    if (current === path || isUntrusted)
      throw notWritableError(file, `${current === path ? 'it' : current} is a symbolic link`);
  }
}

/** The first part of the path that does not exist; its parent folder does. */
const findFirstMissing = (path: string) => listAncestors(path).find((part) => existsSync(dirname(part))) ?? path;

function openPipeWriter(path: string): (text: string) => void {
  // Does not wait for a reader. Kept open, so that a reader does not see the end of the pipe before the report.
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
  new CliError('usage', `could not write the ${label} ${typedPath}: ${problem}`, {
    hint: 'Use the path of a regular file.',
  });
