/** formulas.lock.json: the formula ids of folders, by target. */
import systemPaths, { dirname, type PlatformPath, win32 } from 'node:path';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import { toRelative } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { hasConflictMarkers } from '../text/json-syntax-error.ts';
import { isObject } from '../text/json-type.ts';
import { type JsonPath, parseJsonWithPositions } from '../text/json-with-positions.ts';
import type { Position } from '../text/source-position.ts';

export const LOCKFILE = 'formulas.lock.json';
const VERSION = 1;
/** Enough for 50,000 folders; parsing needs a hundred times as much memory. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Ids by target and folder; folders are relative to that of the lock file, with slashes, `.` for itself. */
export type Lockfile = Map<string, Map<string, string>>;

/** The key of a folder: its path relative to the folder of the lock file. Both folders are absolute. */
export const toLockfileKey = (lockFolder: string, folder: string, paths: PlatformPath = systemPaths): string =>
  toRelative(lockFolder, folder, paths) || '.';

/** Reads a lock file; a missing one is empty. `label` is its name for messages. Raises invalid (3). */
export function readLockfile(file: string, label: string): Lockfile {
  let text: string;
  try {
    text = readRegularFile(file).toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
    throw new CliError('invalid', `could not read the lock file ${label}: ${describeFsError(error)}`);
  }
  return parseLockfile(text, label);
}

/** Raises invalid (3) at the entry of a folder that a pull does not write: in a dot folder or node_modules. */
export function assertWritableEntry(file: string, target: string, folder: string): void {
  const key = toLockfileKey(dirname(file), folder);
  if (key === '.' || !key.split('/').some((part) => part.startsWith('.') || part === 'node_modules')) return;
  const { locateKey } = parseJsonWithPositions(`${readRegularFile(file)}`.replace(/^\ufeff/, ''));
  const problem = `${JSON.stringify(key)} is in a dot folder or node_modules, where pull writes nothing`;
  throw createErrorAt(file, locateKey(['targets', target, key]), problem, 'Remove the entry, or move the folder.');
}

/** Raises invalid (3), with line and column, if the text is not a lock file. `label` is its name for messages. */
export function parseLockfile(text: string, label: string, paths: PlatformPath = systemPaths): Lockfile {
  if (text.length > MAX_CHARACTERS) {
    const problem = `the lock file must have at most ${MAX_CHARACTERS} characters (got ${text.length})`;
    throw createErrorAt(label, { line: 1, column: 1 }, problem);
  }
  const { value, problems, locateKey } = parseJsonWithPositions(text.replace(/^\ufeff/, ''));
  const [error] = problems;
  const isConflict = error?.kind === 'syntax' && hasConflictMarkers(text);
  if (error) throw createErrorAt(label, error.position, error.message, isConflict ? MERGE_HINT : FIX_HINT);
  const createError = (path: JsonPath, problem: string, hint?: string) =>
    createErrorAt(label, locateKey(path), problem, hint);
  if (!isObject(value)) throw createError([], 'the lock file must be an object');
  const { version, targets, ...others } = value;
  if (typeof version === 'number' && version > VERSION) {
    const problem = `version must be ${VERSION} (got ${version})`;
    throw createError(['version'], problem, 'Update formulary to a version that reads this lock file.');
  }
  const [other] = Object.keys(others);
  if (other !== undefined) throw createError([other], `unknown key ${JSON.stringify(other)}`);
  if (version !== VERSION)
    throw createError(['version'], `version must be ${VERSION} (got ${JSON.stringify(version)})`);
  if (!isObject(targets)) throw createError(['targets'], 'targets must be an object');
  return new Map(
    Object.entries(targets).map(([target, entries]) => [target, parseEntries(entries, target, createError, paths)]),
  );
}

const MERGE_HINT = 'Keep the lines of both sides, remove the markers, and run the command again.';

/** The text of a lock file: sorted, one line per folder, so that version control can merge it. */
export function formatLockfile(lockfile: Lockfile): string {
  const targets = [...lockfile]
    .filter(([, entries]) => entries.size > 0)
    .sort(byName)
    .map(([target, entries]) => {
      const lines = [...entries]
        .sort(byName)
        .map(([folder, id]) => `      ${JSON.stringify(folder)}: ${JSON.stringify({ id })}`);
      return `    ${JSON.stringify(target)}: {\n${lines.join(',\n')}\n    }`;
    });
  const body = targets.length > 0 ? `{\n${targets.join(',\n')}\n  }` : '{}';
  return `{\n  "version": ${VERSION},\n  "targets": ${body}\n}\n`;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

type CreateError = (path: JsonPath, problem: string) => CliError;

function parseEntries(value: unknown, target: string, createError: CreateError, paths: PlatformPath) {
  if (!isObject(value)) throw createError(['targets', target], `targets[${JSON.stringify(target)}] must be an object`);
  return new Map(
    Object.entries(value).map(([folder, entry]) => {
      const path = ['targets', target, folder];
      const id = isObject(entry) ? entry['id'] : undefined;
      if (typeof id !== 'string' || id === '') throw createError(path, `${JSON.stringify(folder)} must have an id`);
      const problem = findKeyProblem(folder, paths);
      if (problem !== undefined)
        throw createError(path, `${JSON.stringify(folder.slice(0, MAX_SHOWN))} must ${problem}`);
      return [folder, id];
    }),
  );
}

/** Longer than any path that a system opens. */
const MAX_KEY = 4096;
/** Characters of an invalid key in a message. */
const MAX_SHOWN = 200;

/** Why a key is invalid. On Windows, a backslash also separates folders, and a colon follows a drive letter. */
export function findKeyProblem(key: string, paths: PlatformPath = systemPaths): string | undefined {
  if (key.length > MAX_KEY) return `have at most ${MAX_KEY} characters (got ${key.length})`;
  if (key.includes('\0')) return 'not contain a NUL character';
  if (paths === win32 && key.includes('\\')) return 'have "/" between folders (got "\\")';
  const isBelow = key === '.' || key.split('/').every((part) => !['', '.', '..'].includes(part));
  if (isBelow && !(paths === win32 && key.includes(':'))) return undefined;
  return 'be the folder of the lock file, or a folder in it';
}

function createErrorAt(label: string, { line, column }: Position, problem: string, hint = FIX_HINT) {
  return new CliError('invalid', `${label}:${line}:${column}: ${problem}`, { hint });
}

const FIX_HINT = 'Fix the file, or restore it from version control.';
