/** Reads the saved versions of formulas: of all of them the row, which precedes the formula in the file, of one everything. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import { readStateFile } from './private-file.ts';
import { getReadableState, type StateProblem, toStateProblem } from './state-folder.ts';

/** A saved version without its formula: a row of `formula history`. */
export interface HistoryRow {
  /** The entry's id. */
  entry: string;
  /** ISO 8601. */
  at: string;
  operation: 'update' | 'delete';
  target: string;
  id: string;
  name: string;
}

/** A saved version: the formula before the operation. */
export interface HistoryEntry extends HistoryRow {
  formula: Formula;
  /** The fields of the formula in which a secret was redacted, so that the version is incomplete. */
  hidden?: readonly string[];
}

export const HISTORY_HINT = 'To list the entries, run: formulary formula history';

/**
 * The rows of all saved versions, newest first. An invalid file is skipped, and passed to `warn`. Raises usage (2) if the
 * folder cannot be read; without a HOME there are none.
 */
export function readHistory(host: Host, warn: (text: string) => void): HistoryRow[] {
  const { folder, problem } = getReadableState(host);
  if (problem?.isMissing) return [];
  if (problem) throw historyUnreadableError(problem);
  const history = join(folder, 'history');
  try {
    return readRows(history, host, warn).reverse();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw historyUnreadableError(toStateProblem(history, 'read', error));
  }
}

/** Usage (2), for commands that need an entry. */
export const historyUnreadableError = ({ message, hint }: StateProblem) =>
  new CliError('usage', `the history cannot be read: ${message}`, { hint });

/** Reads a version with its formula. Raises usage (2) if its file is invalid. */
export function readVersion({ entry }: HistoryRow, host: Host): HistoryEntry {
  const file = join(getReadableState(host).folder ?? '', 'history', `${entry}.json`);
  const found = parseFile(file, 'is not a history entry', () => {
    const version: HistoryEntry = JSON.parse(readStateFile(file, host));
    const isValid = typeof version.formula.id === 'string' && Array.isArray(version.hidden ?? []);
    return isValid && isRow(version) ? { ...version, entry } : undefined;
  });
  if (typeof found !== 'string') return found;
  throw new CliError('usage', found, { hint: HISTORY_HINT });
}

/** Entries of earlier versions begin with a hash of target and id, and end with digits of the time. */
const ENTRY_FILE = /^([0-9a-f]{10}|[0-9a-f]{16}-\d+(-\d+)?)\.json$/;

/** The rows of the entries in a folder, oldest first; each invalid file is passed to `warn`. Throws the file system's error. */
export function readRows(folder: string, host: Host, warn: (text: string) => void): HistoryRow[] {
  return readdirSync(folder)
    .filter((name) => ENTRY_FILE.test(name))
    .flatMap((name): HistoryRow[] => {
      const file = join(folder, name);
      const row = parseFile(file, 'is not a history entry and is skipped', () => readRow(file, host));
      if (typeof row !== 'string') return [{ ...row, entry: name.slice(0, -'.json'.length) }];
      warn(`warning: ${row}`);
      return [];
    })
    .sort((a, b) => (a.at === b.at ? (a.entry < b.entry ? -1 : 1) : a.at < b.at ? -1 : 1));
}

/** In bytes; most names have at most 200 characters. */
const MAX_ROW = 8192;

function readRow(file: string, host: Host): HistoryRow | undefined {
  const start = readStateFile(file, host, MAX_ROW);
  const end = start.indexOf(',\n  "formula":');
  const row: HistoryRow = JSON.parse(end < 0 ? readStateFile(file, host) : `${start.slice(0, end)}\n}`);
  if (!isRow(row)) return undefined;
  const { entry, at, operation, target, id, name } = row;
  return { entry, at, operation, target, id, name };
}

const isRow = ({ entry, at, operation, target, id, name }: HistoryRow) =>
  [entry, at, operation, target, id, name].every((value) => typeof value === 'string');

/** The result of `parse`, or why there is none. */
function parseFile<T>(file: string, invalid: string, parse: () => T | undefined): T | string {
  const problem = `${file} ${invalid}`;
  try {
    return parse() ?? problem;
  } catch (error) {
    if (error instanceof CliError) return error.message;
    return error instanceof SyntaxError || error instanceof TypeError
      ? problem
      : `${file} cannot be read: ${describeFsError(error)}`;
  }
}
