/** formulas.lock.json: which formula of which service a folder is; identity and nothing else. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { CliError } from '../errors.ts';
import { reasonOf } from '../file-error.ts';
import { readRegularFile } from '../regular-file.ts';

export const LOCK_FILE = 'formulas.lock.json';
const VERSION = 1;

/** Ids by target and folder; a folder is relative to the lock's own, with slashes, `.` for that one itself. */
export type Lock = Map<string, Map<string, string>>;

/**
 * The folder whose lock counts for a path: the nearest one above it, itself included, up to the one with `.git`;
 * where there is none, the path itself, or its parent when the path is a formula. `path` is absolute and real.
 */
export function lockFolderOf(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, LOCK_FILE))) return folder;
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) break;
  }
  return existsSync(join(path, 'manifest.json')) ? dirname(path) : path;
}

/** A formula folder as the lock names it. Both are absolute. */
export const lockName = (lockFolder: string, folder: string): string =>
  relative(lockFolder, folder).split(sep).join('/') || '.';

/** Reads a lock; one that is not there is empty. `typed` is its name for messages. Raises invalid (3). */
export function readLock(file: string, typed: string): Lock {
  let text: string;
  try {
    text = readRegularFile(file).toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
    throw refusal(typed, `cannot be read: ${reasonOf(error)}`);
  }
  return parseLock(text, typed);
}

/** Raises invalid (3) for a text that is no lock, and says what is wrong and what to do. */
export function parseLock(text: string, typed: string): Lock {
  const conflict = text.split('\n').findIndex((line) => /^(<{7}|={7}|>{7})( |\r?$)/.test(line));
  if (conflict >= 0) {
    throw refusal(
      typed,
      `has conflict markers in line ${conflict + 1}`,
      'keep the lines of both sides, remove the markers, and run the command again',
    );
  }
  const value = parsed(text, typed);
  if (!isRecord(value)) throw refusal(typed, 'is not an object');
  const { version, targets, ...others } = value;
  if (typeof version === 'number' && version > VERSION) {
    throw refusal(typed, `has version ${version}; this formulary knows ${VERSION}`, 'use a newer formulary');
  }
  const [other] = Object.keys(others);
  if (other !== undefined) throw refusal(typed, `has the unknown key ${JSON.stringify(other)}`);
  if (version !== VERSION || !isRecord(targets)) throw refusal(typed, `lacks "version": ${VERSION} or "targets"`);
  return new Map(Object.entries(targets).map(([target, entries]) => [target, entriesOf(entries, target, typed)]));
}

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

function parsed(text: string, typed: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    // Without the beginning of the text: the lock may be a link to what is nobody else's business.
    const problem = (error as Error).message.replace(/, (\.\.\.)?".*$/s, '');
    throw refusal(typed, text.trim() === '' ? 'is empty' : `is not JSON (${problem})`);
  }
}

function entriesOf(value: unknown, target: string, typed: string): Map<string, string> {
  const place = `targets[${JSON.stringify(target)}]`;
  if (!isRecord(value)) throw refusal(typed, `has something else than an object at ${place}`);
  return new Map(
    Object.entries(value).map(([folder, entry]) => {
      const id = isRecord(entry) ? entry['id'] : undefined;
      if (typeof id !== 'string' || id === '') {
        throw refusal(typed, `has no id at ${place}[${JSON.stringify(folder)}]`);
      }
      if (!isInside(folder)) throw refusal(typed, `names a folder outside its own: ${JSON.stringify(folder)}`);
      return [folder, id];
    }),
  );
}

const isInside = (folder: string) =>
  folder === '.' || folder.split('/').every((part) => !['', '.', '..'].includes(part));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refusal = (
  typed: string,
  problem: string,
  hint = 'restore it from version control, or remove it: formulas are then found by their names',
) => new CliError('invalid', `the lock ${typed} ${problem}`, { hint });
