/** Reads the files of a formula folder without checking them. */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeFsError, fileUsageError } from '../files/file-errors.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { tryListNames, tryStat } from '../files/try-stat.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';

/** One entry of a folder; `other` is a pipe, device, or socket, `broken` a broken link. */
export interface FolderEntry {
  name: string;
  kind: 'file' | 'folder' | 'other' | 'broken';
  isLink?: boolean;
}

/** An expected file: its bytes, or why they could not be read. */
export type FileRead =
  | { state: 'read'; file: string; bytes: Buffer }
  | { state: 'missing'; file: string }
  | { state: 'not-regular'; file: string; found: string }
  | { state: 'unreadable'; file: string; reason: string };

export type UnreadFile = Exclude<FileRead, { state: 'read' }>;

export interface FolderContents {
  /** The folder as passed on the command line. */
  folder: string;
  entries: readonly FolderEntry[];
  manifest: FileRead;
  /** The code file; if there are several, the first of code.js, code.mjs, code.ts. */
  code: FileRead;
  /** Every icon.png, icon.jpg and icon.jpeg, in any case. */
  icons: readonly FileRead[];
  /** The files tests/*.json, which are not sent. */
  tests: readonly FileRead[];
  /** Whether nothing could be read because a name on the path is not UTF-8. */
  isMisnamed?: boolean;
}

/** The contents of a folder that cannot be opened by its name. */
export const createMisnamedContents = (folder: string): FolderContents => ({
  ...toContents([], (file) => ({ state: 'missing', file })),
  folder,
  tests: [],
  isMisnamed: true,
});

export const CODE_FILES: readonly string[] = ['code.js', 'code.mjs', 'code.ts'];
const ICON = /^icon\.(png|jpe?g)$/i;

/** Whether a file name is that of an icon. */
export const isIconName = (name: string): boolean => ICON.test(name);

/** The text of a file; undefined if it was not read, or is no text. */
export function decodeFile(read: FileRead): string | undefined {
  const decoded = read.state === 'read' ? decodeUtf8(read.bytes) : undefined;
  return decoded && 'text' in decoded ? decoded.text : undefined;
}

/** Whether a file of a folder is part of its formula. */
export const isFormulaFile = (name: string): boolean =>
  name === 'manifest.json' || CODE_FILES.includes(name) || isIconName(name);

/**
 * Reads one formula folder. Symbolic links to regular files of the repository are followed for reading.
 * Raises usage (2) when the folder itself cannot be listed.
 */
export function readFolder(folder: string): FolderContents {
  const entries = listFolder(folder).map(
    (entry): FolderEntry => ({ name: entry.name, kind: getEntryKind(folder, entry), isLink: entry.isSymbolicLink() }),
  );
  const tests = entries.some(({ name, kind }) => name === 'tests' && kind === 'folder') ? readTests(folder) : [];
  return { ...toContents(entries, (name) => readEntry(folder, name, entries)), folder, tests };
}

/** The contents of a folder with these entries; `read` reads one of them, or a missing file. */
export function toContents(entries: readonly FolderEntry[], read: (name: string) => FileRead) {
  const code = CODE_FILES.find((name) => entries.some((entry) => entry.name === name)) ?? 'code.js';
  const icons = entries.filter(({ name }) => isIconName(name)).map(({ name }) => read(name));
  return { entries, manifest: read('manifest.json'), code: read(code), icons };
}

function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw fileUsageError(`could not read the folder ${folder}`, error);
  }
}

function getEntryKind(folder: string, entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file';
  const stats = tryStat(join(folder, entry.name));
  if (!stats) return 'broken';
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
}

const KIND_NAMES = {
  folder: 'a folder',
  other: 'a pipe, socket, or device',
  broken: 'a broken symbolic link',
} as const;

/** Unreadable files are reported when the tests run. */
const readTests = (folder: string): FileRead[] => listTestFiles(folder).map((file) => readFile(folder, file));

/** The test files of a folder: `tests/cards.json`; sorted by name. */
export const listTestFiles = (folder: string): string[] =>
  tryListNames(join(folder, 'tests'))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => `tests/${name}`);

function readEntry(folder: string, name: string, entries: readonly FolderEntry[]): FileRead {
  const entry = entries.find((known) => known.name === name);
  if (!entry) return { state: 'missing', file: name };
  if (entry.kind !== 'file') return { state: 'not-regular', file: name, found: KIND_NAMES[entry.kind] };
  return readFile(folder, name);
}

function readFile(folder: string, file: string): FileRead {
  try {
    return { state: 'read', file, bytes: readRegularFile(join(folder, file), folder) };
  } catch (error) {
    return { state: 'unreadable', file, reason: describeFsError(error) };
  }
}
