/** The versions of formulas before each update and delete, in the state folder: the last ones of each formula. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import { getFormulaKey, type HistoryIndex, listEntries, readIndex } from './history-index.ts';
import { readStateFile } from './private-file.ts';
import {
  getReadableState,
  getWritableState,
  requireWritableState,
  type StateProblem,
  toStateProblem,
} from './state-folder.ts';

const MAX_VERSIONS = 20;

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

const NO_HISTORY_HINT = 'pass --no-history to skip the saved versions';

/** Before the first write of a run that replaces or deletes. Raises usage (2) where copies cannot be saved. */
export function requireHistory(host: Host): void {
  const failure = 'cannot save the current versions before they are replaced or deleted, so no changes were made';
  requireWritableState(host, 'history', failure, NO_HISTORY_HINT);
}

/** A version that was just saved. */
export interface SavedVersion {
  entry: string;
  /** Removes it again: the write did not take place. */
  discard(): void;
}

/**
 * Saves a formula before it is updated or deleted, readable by this user alone. A key in the formula is redacted; the
 * entry then lists the fields. Raises usage (2) if the version cannot be saved: the write must not be sent then.
 */
export function saveVersion(
  host: Host,
  target: string,
  operation: HistoryRow['operation'],
  formula: Formula,
): SavedVersion {
  const state = getWritableState(host);
  const folder = join(state.folder ?? '', 'history');
  const saved = state.problem ?? writeEntry(host, folder, target, operation, formula);
  if ('entry' in saved) return saved;
  throw new CliError(
    'usage',
    `could not save ${JSON.stringify(formula.name)} before the ${operation}, so nothing was changed: ${saved.message}`,
    { hint: `${saved.hint}, or ${NO_HISTORY_HINT}` },
  );
}

/** Removes the version again if the write is rejected, so that the history lists only what was done. */
export async function discardIfRejected<T>(saved: SavedVersion | undefined, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const mayBeApplied = !(error instanceof CliError) || ['unknown', 'interrupted'].includes(error.outcome);
    if (!mayBeApplied) saved?.discard();
    throw error;
  }
}

/** The entries as a command found them at its first write, and those that it added. */
const indexes = new WeakMap<Host, HistoryIndex>();

function writeEntry(
  host: Host,
  folder: string,
  target: string,
  operation: HistoryRow['operation'],
  formula: Formula,
): SavedVersion | StateProblem {
  const { id, name } = formula;
  try {
    makeFolders(folder, 0o700);
    const index = indexes.get(host) ?? readIndex(folder);
    indexes.set(host, index);
    const key = getFormulaKey(target, id);
    const entries = index.get(key) ?? [];
    index.set(key, entries);
    const entry = createEntryId(folder);
    const at = toLaterTime(host.now(), entries.at(-1)?.at);
    const redactedFields = findRedactedFields(host, formula);
    const content: HistoryEntry = {
      entry,
      at,
      operation,
      target,
      id,
      name,
      ...(redactedFields.length > 0 && { hidden: redactedFields }),
      formula,
    };
    const file = join(folder, `${entry}.json`);
    writeFileAtomic(file, host.redact(`${JSON.stringify(content, null, 2)}\n`, true), 0o600);
    const indexed = { entry, at };
    entries.push(indexed);
    const discard = () => {
      entries.splice(entries.indexOf(indexed), 1);
      removeEntry(file);
    };
    return { entry, discard };
  } catch (error) {
    return toStateProblem(folder, 'write', error);
  }
}

function createEntryId(folder: string): string {
  const entry = randomBytes(5).toString('hex');
  return existsSync(join(folder, `${entry}.json`)) ? createEntryId(folder) : entry;
}

/** Where the clock was set back since the last version, that one's time and a millisecond: the newest must sort last. */
function toLaterTime(now: Date, last: string | undefined): string {
  const lastTime = last === undefined ? Number.NaN : Date.parse(last);
  return lastTime >= now.getTime() ? new Date(lastTime + 1).toISOString() : now.toISOString();
}

/** An entry that stays is listed although the write was rejected, which does no harm. */
function removeEntry(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/** Removes the oldest versions of the formulas that have more than 20. Call once, at the end of a command. */
export function pruneHistory(host: Host): void {
  const folder = findHistoryFolder(host);
  if (folder === undefined) return;
  const outdated = [...(indexes.get(host)?.values() ?? [])].flatMap((entries) => entries.slice(0, -MAX_VERSIONS));
  for (const { entry } of outdated) removeEntry(join(folder, `${entry}.json`));
}

/**
 * All saved versions, the newest first. An invalid file is skipped, and passed to `warn`. Raises usage (2) if the folder
 * cannot be read; without a HOME there are none.
 */
export function readHistory(host: Host, warn: (text: string) => void): HistoryEntry[] {
  const { folder, problem } = getReadableState(host);
  if (problem?.isMissing) return [];
  if (problem) throw historyUnreadableError(problem);
  const history = join(folder, 'history');
  return listReadableEntries(history)
    .flatMap((entry) => {
      const file = join(history, `${entry}.json`);
      const found = readEntry(file, host);
      if (typeof found !== 'string') return found;
      warn(`warning: ${found}`);
      return [];
    })
    .sort((a, b) => (a.at === b.at ? (a.entry < b.entry ? 1 : -1) : a.at < b.at ? 1 : -1));
}

/** Raises usage (2) if the folder exists and cannot be read. */
function listReadableEntries(history: string): string[] {
  try {
    return listEntries(history);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw historyUnreadableError(toStateProblem(history, 'read', error));
  }
}

/** Usage (2), for commands that need an entry. */
export const historyUnreadableError = ({ message, hint }: StateProblem) =>
  new CliError('usage', `the history cannot be read: ${message}`, { hint });

function findRedactedFields(host: Host, formula: Formula): string[] {
  const text = JSON.stringify(formula);
  const redacted = host.redact(text, true);
  if (redacted === text) return [];
  const redactedFormula: Record<string, unknown> = JSON.parse(redacted);
  return Object.entries(formula)
    .filter(([field, value]) => JSON.stringify(redactedFormula[field]) !== JSON.stringify(value))
    .map(([field]) => field);
}

const findHistoryFolder = (host: Host) => {
  const { folder } = getReadableState(host);
  return folder && join(folder, 'history');
};

/** The version in a file, or why there is none. */
function readEntry(file: string, host: Host): HistoryEntry | string {
  const invalidMessage = `${file} is not a history entry and is skipped`;
  try {
    const found: HistoryEntry = JSON.parse(readStateFile(file, host));
    const strings = [found.entry, found.at, found.operation, found.target, found.id, found.name, found.formula.id];
    const isHiddenValid = found.hidden === undefined || Array.isArray(found.hidden);
    return isHiddenValid && strings.every((text) => typeof text === 'string') ? found : invalidMessage;
  } catch (error) {
    if (error instanceof CliError) return error.message;
    return error instanceof SyntaxError || error instanceof TypeError
      ? invalidMessage
      : `${file} cannot be read: ${describeFsError(error)}`;
  }
}
