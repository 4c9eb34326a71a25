/** Reads the saved versions of formulas: of all of them the row, which precedes the formula in the file, of one everything. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import type { Formula, NamedFormula } from '../model.ts';
import { listFirst } from '../text/shorten.ts';
import { readStateFile } from './private-file.ts';
import { hashFormula } from './remote-baseline.ts';
import { getReadableState, type StateProblem, toStateProblem } from './state-folder.ts';

/** A saved version without its formula: a row of `formula history`. */
export interface HistoryRow {
  /** The entry's id. */
  entry: string;
  /** What the entries of one command have in common. */
  run: string;
  /** ISO 8601. */
  at: string;
  operation: 'update' | 'delete';
  /** The profile that the command used. */
  profile: string | null;
  /** The base URL, or the data file of the embedded service. */
  target: string;
  id: string;
  name: string;
  /** The hash of the content that an update replaced it with. */
  written?: string | undefined;
  /** That content was a saved version too. */
  restored?: boolean | undefined;
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

/** It need not exist. */
export const getHistoryFolder = (host: Host): string => join(getReadableState(host).folder ?? '', 'history');

/** Usage (2), for commands that need an entry. */
const historyUnreadableError = ({ message, hint }: StateProblem) =>
  new CliError('usage', `the history cannot be read: ${message}`, { hint });

/** Reads a version with its formula. Raises usage (2) if its file is invalid. */
export function readVersion({ entry }: HistoryRow, host: Host): HistoryEntry {
  const file = join(getHistoryFolder(host), `${entry}.json`);
  const found = parseFile(file, 'is not a history entry', () => {
    const version: HistoryEntry = JSON.parse(readStateFile(file, host));
    const isValid = typeof version.formula.id === 'string' && Array.isArray(version.hidden ?? []);
    return isValid && isRow(version) ? { ...version, entry } : undefined;
  });
  if (typeof found !== 'string') return found;
  throw new CliError('usage', found, { hint: HISTORY_HINT });
}

const ENTRY_FILE = /^[0-9a-f]{10}\.json$/;

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
  const text = end < 0 ? readStateFile(file, host) : `${start.slice(0, end)}\n}`;
  const { formula: _, hidden: _hidden, ...row }: HistoryEntry = JSON.parse(text);
  return isRow(row) ? row : undefined;
}

const isRow = ({ entry, run, at, operation, target, id, name }: HistoryRow) =>
  [entry, run, at, operation, target, id, name].every((value) => typeof value === 'string');

/** Tells whether `restore` on this computer wrote the content that a formula has. Reads the history at the first question. */
export function createRestoreFinder(host: Host): (remote: Formula) => boolean {
  let restored: Set<string> | undefined;
  const toKey = (id: string, hash: string) => `${id.toLowerCase()} ${hash}`;
  return (remote) => {
    restored ??= new Set(
      tryReadHistory(host).flatMap((row) => (row.restored && row.written ? [toKey(row.id, row.written)] : [])),
    );
    return restored.has(toKey(remote.id, hashFormula(remote)));
  };
}

/** The rows of all saved versions, newest first; none of a history that cannot be read. */
export const tryReadHistory = (host: Host): HistoryRow[] => attempt(() => readHistory(host, () => undefined)) ?? [];

/** The file that lists what the command of a run created. */
export const toRunFile = (folder: string, run: string): string => join(folder, `run-${run}.json`);

/** The runs that have one. */
export const listRunFiles = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => /^run-([0-9a-f]{10})\.json$/.exec(name)?.[1] ?? []);

/** What one command replaced or deleted, and created; without `run`, a single version. */
export interface SavedRun {
  run?: string;
  entries: readonly HistoryEntry[];
  created: readonly NamedFormula[];
}

/** The run with this id or unique prefix. Raises not_found (5), conflict (6) if there are several, usage (2) if a file is invalid. */
export function findRun(argument: string, host: Host, warn: (text: string) => void): SavedRun {
  assertReadable('--run must be a run of the history', argument, host);
  const rows = readHistory(host, warn).filter(({ run }) => PREFIX.test(argument) && run.startsWith(argument));
  const [run, ...others] = new Set(rows.map((row) => row.run));
  if (run === undefined)
    throw new CliError('not_found', `no run ${JSON.stringify(argument)} in the history`, { hint: HISTORY_HINT });
  if (others.length > 0)
    throw new CliError('conflict', `${JSON.stringify(argument)} matches several runs: ${listFirst([run, ...others])}`, {
      hint: 'Use the full id of a run.',
    });
  return { run, entries: rows.map((row) => readVersion(row, host)), created: readCreated(run, host) };
}

/** Empty if the command created nothing, or the file cannot be read. */
function readCreated(run: string, host: Host): NamedFormula[] {
  const file = toRunFile(getHistoryFolder(host), run);
  const created = parseFile(file, '', () => {
    const { created: all }: { created: NamedFormula[] } = JSON.parse(readStateFile(file, host));
    return all.filter(({ id, name }) => typeof id === 'string' && typeof name === 'string');
  });
  return typeof created === 'string' ? [] : created;
}

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

/** At least four digits, so that a short name is not an entry by accident. */
const PREFIX = /^[0-9a-f]{4,}$/;

/**
 * The entry with this id or unique prefix, otherwise the latest version of the formula with this name or id on the
 * target. Raises not_found (5), conflict (6) if more than one entry is meant, usage (2) if its file is invalid.
 */
export function findEntry(argument: string, target: string, host: Host, warn: (text: string) => void): HistoryEntry {
  assertReadable('ENTRY must be a history entry or a name', argument, host);
  const entries = readHistory(host, warn);
  const versions = entries.filter(({ id, name }) => name === argument || id.toLowerCase() === argument.toLowerCase());
  const [version] = [...versions.filter((one) => one.target === target), ...versions];
  const exact = entries.filter(({ entry }) => entry === argument);
  const matches =
    exact.length > 0 || !PREFIX.test(argument) ? exact : entries.filter(({ entry }) => entry.startsWith(argument));
  const [match] = matches;
  if (match && (matches.length > 1 || version)) throw ambiguousError(argument, matches, version);
  const found = match ?? version;
  if (found) return readVersion(found, host);
  throw new CliError('not_found', `no history entry or saved formula ${JSON.stringify(argument)}`, {
    hint: HISTORY_HINT,
  });
}

/** Raises usage (2) for an empty argument, and a history that cannot be read. */
function assertReadable(rule: string, argument: string, host: Host): void {
  if (argument === '') throw new CliError('usage', `${rule} (got an empty string)`, { hint: HISTORY_HINT });
  const { problem } = getReadableState(host);
  if (problem) throw historyUnreadableError(problem);
}

function ambiguousError(argument: string, matches: readonly HistoryRow[], version: HistoryRow | undefined): CliError {
  const candidates = version ? [...matches, version] : matches;
  const shown = candidates.map(({ entry, name }) => `${entry} (${JSON.stringify(name)})`);
  const message = `${JSON.stringify(argument)} matches ${candidates.length} history entries: ${listFirst(shown)}`;
  const hint = 'Use the full id of an entry.';
  return new CliError('conflict', message, { hint, details: { entries: candidates.map(({ entry }) => entry) } });
}

/** Raises usage (2) if the entry is of another target. */
export function assertSameTarget(entry: HistoryRow, target: string): void {
  if (entry.target === target) return;
  throw new CliError('usage', `this entry belongs to ${entry.target}, but the current service is ${target}`, {
    hint: 'Select the service with --base-url, --profile, or --local.',
  });
}
