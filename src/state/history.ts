/** Saves the versions of formulas before each update and delete, in the state folder: the last ones of each formula. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import { hashContent } from '../formula-fields.ts';
import type { Host } from '../host/host.ts';
import type { Formula, FormulaBody, NamedFormula } from '../model.ts';
import {
  getHistoryFolder,
  type HistoryEntry,
  type HistoryRow,
  listRunFiles,
  readRows,
  toRunFile,
} from './history-entries.ts';
import { getWritableState, requireWritableState, toStateProblem } from './state-folder.ts';

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

/** What replaces a version: its content, and whether that is a saved version too. */
export interface Replacement {
  body: FormulaBody;
  isRestored?: boolean;
}

/** What a command saves: the versions that it replaces, and which formulas it creates. */
export type HistoryRun = ReturnType<typeof openHistory>;

/** Saves a version, as `HistoryRun.save`, or nothing with --no-history. */
export type SaveVersion = (...version: Parameters<HistoryRun['save']>) => SavedVersion | undefined;

export function openHistory(host: Host, target: string, profile: string | null) {
  const run = createId();
  const savedFormulas = new Set<string>();
  const created: NamedFormula[] = [];
  return {
    run,
    /**
     * Saves a formula before it is updated or deleted, readable by this user only. A key in the formula is redacted; the
     * entry then lists the fields. Raises usage (2) if the version cannot be saved: the write must not be sent then.
     */
    save: (operation: HistoryRow['operation'], formula: Formula, replacement?: Replacement): SavedVersion => {
      const state = getWritableState(host);
      const folder = join(state.folder ?? '', 'history');
      const written = replacement && hashContent(replacement.body);
      const row = { run, operation, profile, target, written, restored: replacement?.isRestored };
      let { problem } = state;
      try {
        if (!problem) {
          const saved = writeEntry(host, folder, row, formula);
          savedFormulas.add(toFormulaKey({ target, id: formula.id }));
          return saved;
        }
      } catch (error) {
        problem = toStateProblem(folder, 'write', error);
      }
      const message = `could not save ${JSON.stringify(formula.name)} before the ${operation}, so nothing was changed: ${problem.message}`;
      throw new CliError('usage', message, { hint: `${problem.hint}\n${NO_HISTORY_HINT}` });
    },
    recordCreated: (formulas: readonly NamedFormula[]) =>
      void created.push(...formulas.map(({ id, name }) => ({ id, name }))),
    /** Records what was created, and removes the oldest versions of the saved formulas that have more than 20. */
    close: () => {
      if (savedFormulas.size === 0) return;
      const folder = getHistoryFolder(host);
      const text = host.redact(`${JSON.stringify({ created })}\n`, true);
      // It only names formulas that restore does not delete, so an error is ignored.
      if (created.length > 0) attempt(() => writeFileAtomic(toRunFile(folder, run), text, 0o600));
      pruneHistory(host, folder, savedFormulas);
    },
  };
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

const toFormulaKey = ({ target, id }: Pick<HistoryRow, 'target' | 'id'>) => `${target}\n${id.toLowerCase()}`;

/** Throws the file system's error. */
function writeEntry(
  host: Host,
  folder: string,
  row: Omit<HistoryRow, 'entry' | 'at' | 'id' | 'name'>,
  formula: Formula,
): SavedVersion {
  const { id, name } = formula;
  makeFolders(folder, 0o700);
  const entry = createId();
  const hidden = findRedactedFields(host, formula);
  const at = host.now().toISOString();
  // The formula is last: the rest is read without it.
  const content: HistoryEntry = { entry, at, ...row, id, name, ...(hidden.length > 0 && { hidden }), formula };
  const file = join(folder, `${entry}.json`);
  writeFileAtomic(file, host.redact(`${JSON.stringify(content, null, 2)}\n`, true), 0o600);
  return { entry, discard: () => removeEntry(file) };
}

const createId = () => randomBytes(5).toString('hex');

/** Never throws: an entry that cannot be removed is listed although its write was rejected, which does no harm. */
const removeEntry = (file: string) => attempt(() => rmSync(file, { force: true }));

/** Removes the oldest versions of formulas that have more than 20, and the files of runs without versions. */
function pruneHistory(host: Host, folder: string, saved: ReadonlySet<string>): void {
  const counts = new Map<string, number>();
  const runs = new Set<string>();
  const now = host.now().toISOString();
  const newestFirst = readRows(folder, host, () => undefined).reverse();
  // A version from the future was saved before the clock was set back.
  const isFuture = ({ at }: HistoryRow) => at > now;
  for (const row of [...newestFirst.filter((one) => !isFuture(one)), ...newestFirst.filter(isFuture)]) {
    const key = toFormulaKey(row);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (saved.has(key) && count > MAX_VERSIONS) removeEntry(join(folder, `${row.entry}.json`));
    else runs.add(row.run);
  }
  for (const run of listRunFiles(folder)) if (!runs.has(run)) removeEntry(toRunFile(folder, run));
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
