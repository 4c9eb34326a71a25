/** Compares remote formulas with baselines, and records these, to detect changes by others. */
import { hashContent, normalizeType } from '../formula-fields.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { type Baseline, type Baselines, toKey, toText } from './baseline-file.ts';
import type { SharedJson } from './shared-json.ts';

export type RemoteState = 'same' | 'changed' | 'unknown';

/** The baseline of a folder and a formula; otherwise what was about to be created from the folder, whose id is not known. */
export const findBaseline = (baselines: Baselines, folder: string, { id }: Pick<Formula, 'id'>): Baseline | undefined =>
  baselines.get(toKey(folder, id)) ?? baselines.get(toKey(folder));

/** Whether a hash is that of a folder's content; a missing icon or description is that of the remote formula, as in an update. */
export const isContent = (body: FormulaBody, remote: Formula, hash: string): boolean =>
  findContent(body, remote, hash) !== undefined;

/** The content of a folder that has a hash: completed with the remote icon and description if it has the hash then. */
export function findContent(body: FormulaBody, remote: Formula, hash: string): FormulaBody | undefined {
  const icon = body.icon ?? remote.icon ?? null;
  const withDescription = { ...body, description: body.description ?? remote.description ?? null };
  const candidates: FormulaBody[] = [body, withDescription, { ...body, icon }, { ...withDescription, icon }];
  return candidates.find((content) => hashContent(content) === hash);
}

/** Records that a folder and the formula are equal now. */
export function recordBaseline(baselines: SharedJson<Baselines> | undefined, folder: string, formula: Formula): void {
  const key = toKey(folder, formula.id);
  const current: Baseline = { hash: hashFormula(formula), modified_at: toText(formula.modified_at) };
  const previous = baselines?.value.get(key);
  const isKnown = previous?.hash === current.hash && previous.modified_at === current.modified_at;
  if (isKnown && previous.pending === undefined) return;
  baselines?.change((entries) => {
    entries.set(key, current);
    entries.delete(toKey(folder));
  });
}

/** A create or an update that is about to be sent: the current remote formula, and the hash of the new content. */
export interface PendingWrite {
  folder: string;
  /** Undefined for a create. */
  remote: Formula | undefined;
  hash: string;
}

/** Records writes before they are sent, so that those of a killed process do not look like changes by others. */
export async function recordPending(
  baselines: SharedJson<Baselines> | undefined,
  writes: readonly PendingWrite[],
): Promise<void> {
  const isRecorded = ({ folder, remote, hash }: PendingWrite) =>
    baselines?.value.get(toKey(folder, remote?.id))?.pending === hash;
  const unrecorded = writes.filter((write) => !isRecorded(write));
  if (!baselines || unrecorded.length === 0) return;
  baselines.change((entries) => {
    for (const { folder, remote, hash } of unrecorded) {
      const previous = remote && findBaseline(entries, folder, remote);
      const isApplied = remote !== undefined && previous?.pending === hashFormula(remote);
      entries.set(toKey(folder, remote?.id), {
        hash: (isApplied ? previous?.pending : previous?.hash) ?? null,
        modified_at: previous?.modified_at ?? null,
        pending: hash,
      });
    }
  });
  // The command reports a write error when it flushes the file at the end.
  await baselines.flush().catch(() => undefined);
}

/** Removes the baseline of a folder whose formula was deleted. */
export function forgetBaseline(baselines: SharedJson<Baselines> | undefined, folder: string, { id }: Formula): void {
  const key = toKey(folder, id);
  if (baselines?.value.has(key)) baselines.change((entries) => entries.delete(key));
}

/** Compares the remote formula with the baseline of a folder; 'unknown' without a baseline. */
export function compareToBaseline(baselines: Baselines, folder: string, formula: Formula): RemoteState {
  const baseline = findBaseline(baselines, folder, formula);
  if (!baseline) return 'unknown';
  const hash = hashFormula(formula);
  if (hash === baseline.hash || hash === baseline.pending) return 'same';
  return baseline.hash === null ? 'unknown' : 'changed';
}

export const hashFormula = (formula: Formula) => hashContent({ ...formula, type: normalizeType(formula) });

/** Why a formula is in conflict with a folder. `since` is the reference of --since. */
export function formatChangedReason(formula: Formula, isRestored: boolean, since?: string): string {
  const change = isRestored ? 'was restored on this computer' : 'changed';
  return `the remote version ${change} since ${since ?? 'the last push or pull of this folder'}${formatModification(formula)}`;
}

/** When and by whom a formula was last changed, in parentheses after a space; '' if it is unknown. */
export function formatModification(formula: Formula): string {
  const { at, by, name = by } = findModification(formula);
  const when = [at && `at ${at}`, name && `by ${name}`].filter(Boolean).join(' ');
  return when && ` (${when})`;
}

/** The time of the last change, and the id and name of the application; of the creation if there was none since. */
export function findModification(formula: Formula) {
  const { modified_at: at, modified_by: by, modified_by_name: name, created_at, created_by } = formula;
  return {
    at: toText(at ?? created_at),
    by: toText(by ?? created_by),
    name: toText(name) ?? undefined,
  };
}
