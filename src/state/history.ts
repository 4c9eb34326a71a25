/** Saves the versions of formulas before each update and delete, in the state folder: the last ones of each formula. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import { type HistoryEntry, type HistoryRow, readRows } from './history-entries.ts';
import { getReadableState, getWritableState, requireWritableState, toStateProblem } from './state-folder.ts';

const MAX_VERSIONS = 20;

export interface HistoryFlags {
  /** False with --no-history. */
  history?: boolean | undefined;
}

const NO_HISTORY_HINT = 'To skip the saved versions, pass --no-history.';

/** Raises usage (2) if versions cannot be saved. Call before the first update or delete. */
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
 * Saves a formula before it is updated or deleted, readable by this user only. A key in the formula is redacted; the
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
  let { problem } = state;
  try {
    if (!problem) return writeEntry(host, folder, target, operation, formula);
  } catch (error) {
    problem = toStateProblem(folder, 'write', error);
  }
  throw new CliError(
    'usage',
    `could not save ${JSON.stringify(formula.name)} before the ${operation}, so nothing was changed: ${problem.message}`,
    { hint: `${problem.hint}\n${NO_HISTORY_HINT}` },
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

/** The formulas with a version that this command saved, by target and id. */
const savedFormulas = new WeakMap<Host, Set<string>>();

const toFormulaKey = ({ target, id }: Pick<HistoryRow, 'target' | 'id'>) => `${target}\n${id.toLowerCase()}`;

/** Throws the file system's error. */
function writeEntry(
  host: Host,
  folder: string,
  target: string,
  operation: HistoryRow['operation'],
  formula: Formula,
): SavedVersion {
  const { id, name } = formula;
  makeFolders(folder, 0o700);
  const entry = createEntryId(folder);
  const hidden = findRedactedFields(host, formula);
  // The formula is last: the rest is read without it.
  const row: HistoryRow = { entry, at: host.now().toISOString(), operation, target, id, name };
  const content: HistoryEntry = { ...row, ...(hidden.length > 0 && { hidden }), formula };
  const file = join(folder, `${entry}.json`);
  writeFileAtomic(file, host.redact(`${JSON.stringify(content, null, 2)}\n`, true), 0o600);
  savedFormulas.set(host, (savedFormulas.get(host) ?? new Set()).add(toFormulaKey(row)));
  return { entry, discard: () => removeEntry(file) };
}

function createEntryId(folder: string): string {
  const entry = randomBytes(5).toString('hex');
  return existsSync(join(folder, `${entry}.json`)) ? createEntryId(folder) : entry;
}

/** Never throws: an entry that cannot be removed is listed although its write was rejected, which does no harm. */
function removeEntry(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/** Removes the oldest versions of the formulas that this command saved and that have more than 20. Call once, at its end. */
export function pruneHistory(host: Host): void {
  const saved = savedFormulas.get(host);
  const { folder = '' } = getReadableState(host);
  if (!saved) return;
  const counts = new Map<string, number>();
  const now = host.now().toISOString();
  const newestFirst = readRows(join(folder, 'history'), host, () => undefined).reverse();
  // A version from the future was saved before the clock was set back.
  const isFuture = ({ at }: HistoryRow) => at > now;
  for (const row of [...newestFirst.filter((row) => !isFuture(row)), ...newestFirst.filter(isFuture)]) {
    const key = toFormulaKey(row);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (saved.has(key) && count > MAX_VERSIONS) removeEntry(join(folder, 'history', `${row.entry}.json`));
  }
}

function findRedactedFields(host: Host, formula: Formula): string[] {
  const text = JSON.stringify(formula);
  const redacted = host.redact(text, true);
  if (redacted === text) return [];
  const redactedFormula: Record<string, unknown> = JSON.parse(redacted);
  return Object.entries(formula)
    .filter(([field, value]) => JSON.stringify(redactedFormula[field]) !== JSON.stringify(value))
    .map(([field]) => field);
}
