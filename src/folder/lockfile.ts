/** formulas.lock.json: which formula of which service a folder is; identity and nothing else. */
import systemPaths, { type PlatformPath, win32 } from 'node:path';
import { CliError } from '../errors.ts';
import { reasonOf } from '../files/file-errors.ts';
import { toRelative } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { type JsonPath, parseLocatedJson } from '../text/json-with-positions.ts';
import type { Position } from '../text/source-position.ts';

export const LOCK_FILE = 'formulas.lock.json';
const VERSION = 1;

/** Ids by target and folder; a folder is relative to the lock's own, with slashes, `.` for that one itself. */
export type Lock = Map<string, Map<string, string>>;

/** A formula folder as the lock names it. Both are absolute. */
export const lockName = (lockFolder: string, folder: string, paths: PlatformPath = systemPaths): string =>
  toRelative(lockFolder, folder, paths) || '.';

/** Reads a lock; one that is not there is empty. `typed` is its name for messages. Raises invalid (3). */
export function readLock(file: string, typed: string): Lock {
  let text: string;
  try {
    text = readRegularFile(file).toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
    throw new CliError('invalid', `could not read the lock file ${typed}: ${reasonOf(error)}`);
  }
  return parseLock(text, typed);
}

/** Raises invalid (3), with line and column, for a text that is not a lock file. `typed` is the file's name for messages. */
export function parseLock(text: string, typed: string, paths: PlatformPath = systemPaths): Lock {
  const { value, faults, locateKey } = parseLocatedJson(text.replace(/^\ufeff/, ''));
  const [fault] = faults;
  if (fault)
    throw refusalAt(typed, fault.position, fault.message, fault.kind === 'syntax' ? fixSyntax(text) : undefined);
  const refuse = (path: JsonPath, problem: string, hint?: string) => refusalAt(typed, locateKey(path), problem, hint);
  if (!isRecord(value)) throw refuse([], 'the lock file must be an object');
  const { version, targets, ...others } = value;
  if (typeof version === 'number' && version > VERSION) {
    const problem = `version must be ${VERSION} (got ${version})`;
    throw refuse(['version'], problem, 'Update formulary to a version that reads this lock file.');
  }
  const [other] = Object.keys(others);
  if (other !== undefined) throw refuse([other], `unknown key ${JSON.stringify(other)}`);
  if (version !== VERSION) throw refuse(['version'], `version must be ${VERSION} (got ${JSON.stringify(version)})`);
  if (!isRecord(targets)) throw refuse(['targets'], 'targets must be an object');
  return new Map(
    Object.entries(targets).map(([target, entries]) => [target, parseEntries(entries, target, refuse, paths)]),
  );
}

const fixSyntax = (text: string) =>
  /^<{7}|^={7}|^>{7}/m.test(text)
    ? 'Keep the lines of both sides, remove the markers, and run the command again.'
    : undefined;

/** The text of a lock: sorted, one line a folder, so that version control merges it line by line. */
export function printLock(lock: Lock): string {
  const targets = [...lock]
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

type Refuse = (path: JsonPath, problem: string) => CliError;

function parseEntries(value: unknown, target: string, refuse: Refuse, paths: PlatformPath): Map<string, string> {
  if (!isRecord(value)) throw refuse(['targets', target], `targets[${JSON.stringify(target)}] must be an object`);
  return new Map(
    Object.entries(value).map(([folder, entry]) => {
      const path = ['targets', target, folder];
      const id = isRecord(entry) ? entry['id'] : undefined;
      if (typeof id !== 'string' || id === '') throw refuse(path, `${JSON.stringify(folder)} must have an id`);
      const problem = keyProblem(folder, paths);
      if (problem !== undefined) throw refuse(path, `${JSON.stringify(folder)} must ${problem}`);
      return [folder, id];
    }),
  );
}

/** What a key must be and is not. On Windows a backslash separates folders too, and a colon begins another drive. */
function keyProblem(key: string, paths: PlatformPath): string | undefined {
  if (paths === win32 && key.includes('\\')) return 'have "/" between folders (got "\\")';
  const isBelow = key === '.' || key.split('/').every((part) => !['', '.', '..'].includes(part));
  if (isBelow && !(paths === win32 && key.includes(':'))) return undefined;
  return 'be a folder next to the lock file or below it';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refusalAt = (
  typed: string,
  { line, column }: Position,
  problem: string,
  hint = 'Fix the file, or restore it from version control.',
) => new CliError('invalid', `${typed}:${line}:${column}: ${problem}`, { hint });
