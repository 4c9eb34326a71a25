/** Copies of formulas as they were before each update and delete, kept in the state folder; the last ones of each. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import { findFreeName, getFormulaKey, listEntries, nextTimestamp } from './history-names.ts';
import { readStateFile } from './private-file.ts';
import {
  getReadableState,
  getWritableState,
  requireWritableState,
  type StateProblem,
  toStateProblem,
} from './state-folder.ts';
import { shortHash } from './xdg-paths.ts';

const MAX_VERSIONS = 20;

/** What a kept copy is of; the row that `formula history` shows. */
export interface HistoryRow {
  /** The entry's name: formula and target as a fingerprint, then the time. */
  entry: string;
  /** ISO 8601. */
  at: string;
  operation: 'update' | 'delete';
  target: string;
  id: string;
  name: string;
}

/** A kept copy: the formula as the service had it before the operation. */
export interface HistoryEntry extends HistoryRow {
  formula: Formula;
  /** The fields of the formula in which a secret was hidden, so that the copy is not what the service had. */
  hidden?: readonly string[];
}

const NO_HISTORY_HINT = 'pass --no-history to skip the saved versions';

/** Before the first write of a run that replaces or deletes. Raises usage (2) where copies cannot be saved. */
export function requireHistory(host: Host): void {
  const failure = 'cannot save the current versions before they are replaced or deleted, so no changes were made';
  requireWritableState(host, 'history', failure, NO_HISTORY_HINT);
}

/**
 * Keeps a copy of what is there before it is replaced or deleted, readable by this user alone. The key never gets
 * into it, also where the service has it in the formula: the entry then says in which fields.
 * Raises usage (2) when the copy cannot be kept: then nothing must be written to the service either.
 */
export function saveVersion(host: Host, target: string, operation: HistoryRow['operation'], formula: Formula): void {
  const state = getWritableState(host);
  const folder = join(state.folder ?? '', 'history');
  const problem = state.problem ?? writeEntry(host, folder, target, operation, formula);
  if (!problem) return;
  throw new CliError(
    'usage',
    `no copy of ${JSON.stringify(formula.name)} could be kept before the ${operation}, so nothing was sent: ${problem.message}`,
    { hint: `${problem.hint}, or ${NO_HISTORY_HINT}` },
  );
}

function writeEntry(
  host: Host,
  folder: string,
  target: string,
  operation: HistoryRow['operation'],
  formula: Formula,
): StateProblem | undefined {
  const formulaKey = shortHash(target, formula.id.toLowerCase());
  const { id, name } = formula;
  try {
    makeFolders(folder, 0o700);
    const at = host.now().toISOString();
    const entry = findFreeName(folder, `${formulaKey}-${nextTimestamp(host, folder, formulaKey, at)}`);
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
    writeFileAtomic(join(folder, `${entry}.json`), host.redact(`${JSON.stringify(content, null, 2)}\n`, true), 0o600);
    return undefined;
  } catch (error) {
    return toStateProblem(folder, 'write', error);
  }
}

/**
 * Removes the oldest copies of formulas that have more than 20. Once at the end of a command: it reads the whole folder.
 * Where that fails there are some copies more, which is no fault of what was done.
 */
export function pruneHistory(host: Host): void {
  const folder = findHistoryFolder(host);
  if (folder === undefined) return;
  try {
    const entries = listEntries(folder);
    const outdated = entries.filter((entry, i) => getFormulaKey(entries[i + MAX_VERSIONS]) === getFormulaKey(entry));
    for (const entry of outdated) rmSync(join(folder, `${entry}.json`), { force: true });
  } catch {
    // The next command tries again.
  }
}

/**
 * All kept copies, the newest first. A file that holds none is passed over and named to `warn`. Raises usage (2) where
 * the folder cannot be read; without a HOME there is nothing to read.
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

/** The names of all entries. Raises usage (2) where the folder is there and cannot be read. */
function listReadableEntries(history: string): string[] {
  try {
    return listEntries(history);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw historyUnreadableError(toStateProblem(history, 'read', error));
  }
}

/** Usage (2), for what needs a copy. */
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

/** The copy in a file, or why there is none. */
function readEntry(file: string, host: Host): HistoryEntry | string {
  const invalidMessage = `${file} is no copy that formulary kept, so it is skipped`;
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
