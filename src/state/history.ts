/** Copies of formulas as they were before each update and delete, kept in the state folder; the last ones of each. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makeFolders, writeFileWhole } from '../files/atomic-write.ts';
import { reasonOf } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import { entriesIn, formulaOf, freeName, stampAfter } from './history-names.ts';
import { readStateFile } from './private-file.ts';
import { readableState, requireWritableState, type StateProblem, stateProblem, writableState } from './state-folder.ts';
import { fingerprint } from './xdg-paths.ts';

const KEPT_OF_EACH = 20;

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

const WITHOUT_HISTORY = 'pass --no-history to skip the saved versions';

/** Before the first write of a run that replaces or deletes. Raises usage (2) where copies cannot be saved. */
export function requireHistory(host: Host): void {
  const failure = 'cannot save the current versions before they are replaced or deleted, so no changes were made';
  requireWritableState(host, 'history', failure, WITHOUT_HISTORY);
}

/**
 * Keeps a copy of what is there before it is replaced or deleted, readable by this user alone. The key never gets
 * into it, also where the service has it in the formula: the entry then says in which fields.
 * Raises usage (2) when the copy cannot be kept: then nothing must be written to the service either.
 */
export function keepCopy(host: Host, target: string, operation: HistoryRow['operation'], formula: Formula): void {
  const state = writableState(host);
  const folder = join(state.folder ?? '', 'history');
  const problem = state.problem ?? writeCopy(host, folder, target, operation, formula);
  if (!problem) return;
  throw new CliError(
    'usage',
    `no copy of ${JSON.stringify(formula.name)} could be kept before the ${operation}, so nothing was sent: ${problem.message}`,
    { hint: `${problem.hint}, or ${WITHOUT_HISTORY}` },
  );
}

function writeCopy(
  host: Host,
  folder: string,
  target: string,
  operation: HistoryRow['operation'],
  formula: Formula,
): StateProblem | undefined {
  const of = fingerprint(target, formula.id.toLowerCase());
  const { id, name } = formula;
  try {
    makeFolders(folder, 0o700);
    const at = host.now().toISOString();
    const entry = freeName(folder, `${of}-${stampAfter(host, folder, of, at)}`);
    const hidden = hiddenFields(host, formula);
    const kept: HistoryEntry = {
      entry,
      at,
      operation,
      target,
      id,
      name,
      ...(hidden.length > 0 && { hidden }),
      formula,
    };
    writeFileWhole(join(folder, `${entry}.json`), host.hidden(`${JSON.stringify(kept, null, 2)}\n`, true), 0o600);
    return undefined;
  } catch (error) {
    return stateProblem(folder, 'write', error);
  }
}

/**
 * Removes the oldest copies of formulas that have more than 20. Once at the end of a command: it reads the whole folder.
 * Where that fails there are some copies more, which is no fault of what was done.
 */
export function pruneHistory(host: Host): void {
  const folder = historyFolder(host);
  if (folder === undefined) return;
  try {
    const entries = entriesIn(folder);
    const old = entries.filter((entry, i) => formulaOf(entries[i + KEPT_OF_EACH]) === formulaOf(entry));
    for (const entry of old) rmSync(join(folder, `${entry}.json`), { force: true });
  } catch {
    // The next command tries again.
  }
}

/**
 * All kept copies, the newest first. A file that holds none is passed over and named to `warn`. Raises usage (2) where
 * the folder cannot be read; without a HOME there is nothing to read.
 */
export function readHistory(host: Host, warn: (text: string) => void): HistoryEntry[] {
  const { folder, problem } = readableState(host);
  if (problem?.isMissing) return [];
  if (problem) throw historyUnreadable(problem);
  const history = join(folder, 'history');
  return namesToRead(history)
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
function namesToRead(history: string): string[] {
  try {
    return entriesIn(history);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw historyUnreadable(stateProblem(history, 'read', error));
  }
}

/** Usage (2), for what needs a copy. */
export const historyUnreadable = ({ message, hint }: StateProblem) =>
  new CliError('usage', `the history cannot be read: ${message}`, { hint });

function hiddenFields(host: Host, formula: Formula): string[] {
  const text = JSON.stringify(formula);
  const shown = host.hidden(text, true);
  if (shown === text) return [];
  const kept: Record<string, unknown> = JSON.parse(shown);
  return Object.entries(formula)
    .filter(([field, value]) => JSON.stringify(kept[field]) !== JSON.stringify(value))
    .map(([field]) => field);
}

const historyFolder = (host: Host) => {
  const { folder } = readableState(host);
  return folder && join(folder, 'history');
};

/** The copy in a file, or why there is none. */
function readEntry(file: string, host: Host): HistoryEntry | string {
  const nothing = `${file} is no copy that formulary kept, so it is skipped`;
  try {
    const found: HistoryEntry = JSON.parse(readStateFile(file, host));
    const texts = [found.entry, found.at, found.operation, found.target, found.id, found.name, found.formula.id];
    const isMarked = found.hidden === undefined || Array.isArray(found.hidden);
    return isMarked && texts.every((text) => typeof text === 'string') ? found : nothing;
  } catch (error) {
    if (error instanceof CliError) return error.message;
    return error instanceof SyntaxError || error instanceof TypeError
      ? nothing
      : `${file} cannot be read: ${reasonOf(error)}`;
  }
}
