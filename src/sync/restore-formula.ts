/** Restores a saved version of a formula: finds the formula that it replaces, and updates or creates it. */
import type { ServiceClient } from '../api/client.ts';
import { requireUnique } from '../api/find-formula.ts';
import { isSameId } from '../api/formula-guards.ts';
import { findFormulaById, listFormulas } from '../api/formula-reads.ts';
import { createFormula, updateFormula } from '../api/formula-writes.ts';
import { filterByName, findPreexistingIds } from '../api/incomplete-list.ts';
import type { ListResult } from '../api/pagination.ts';
import { CliError } from '../errors.ts';
import { changedFields, toRequestBody } from '../formula-fields.ts';
import type { Formula } from '../model.ts';
import { discardIfRejected, type SaveVersion } from '../state/history.ts';
import type { HistoryEntry } from '../state/history-entries.ts';
import { assertNameFree } from './name-conflict.ts';

export interface RestorePlan {
  /** The formula that is replaced; undefined if one is created. */
  present: Formula | undefined;
  /** It is another formula of the same name than the one that was saved. */
  isRecreated: boolean;
  /** The fields that differ from the saved version. */
  changed: readonly string[];
  /** The ids before a create. */
  preexistingIds?: ReadonlySet<string> | undefined;
}

/** Whether the formula does not have the saved version already. */
export const needsWrite = ({ present, changed }: RestorePlan) => present === undefined || changed.length > 0;

/** Raises invalid (3) if a field of the request was redacted in the history. */
export function assertRestorable({ entry, hidden = [], formula }: HistoryEntry): void {
  const missing = hidden.filter((field) => field === 'id' || field in toRequestBody(formula));
  if (missing.length === 0) return;
  throw new CliError(
    'invalid',
    `history entry ${entry} is incomplete: ${missing.join(', ')} contained a secret, which is not saved in history; nothing was changed`,
    {
      hint: "Copy what you need from the entry's file into a folder and push it.\nFor its path, run: formulary help files",
    },
  );
}

/** Finds the formula by its id, otherwise by its name. Raises conflict (6) if several have the name, unavailable (8). */
export async function planRestore(entry: HistoryEntry, client: ServiceClient): Promise<RestorePlan> {
  const present = await findFormulaById(client, entry.id);
  if (present?.name === toRequestBody(entry.formula).name) return planUpdate(entry, present);
  return planRestoreIn(await listCandidates([entry], client), entry, client, present);
}

/** Lists all formulas, with the content of those that the entries may replace. */
export function listCandidates(entries: readonly HistoryEntry[], client: ServiceClient): Promise<ListResult<Formula>> {
  const ids = new Set(entries.map(({ id }) => id.toLowerCase()));
  const names = new Set(entries.map(({ formula }) => formula.name));
  return listFormulas(client, { needsContent: ({ id, name }) => ids.has(id.toLowerCase()) || names.has(name) });
}

/** The same in a list of all formulas. */
export function planRestoreIn(
  list: ListResult<Formula>,
  entry: HistoryEntry,
  client: ServiceClient,
  byId = list.items.find(({ id }) => isSameId(id, entry.id)),
): RestorePlan {
  const { name } = toRequestBody(entry.formula);
  if (byId) {
    if (byId.name !== name) assertNameFree(list, name, client);
    return planUpdate(entry, byId);
  }
  const { items, incompleteReason } = filterByName(list, name);
  const matches = { incompleteReason, items: items.filter(({ type }) => type !== 'official') };
  if (matches.items.length === 0 && incompleteReason === undefined)
    return { present: undefined, isRecreated: false, changed: [], preexistingIds: findPreexistingIds(list) };
  return planUpdate(entry, requireUnique(matches, name, client, ''));
}

const planUpdate = ({ id, formula }: HistoryEntry, present: Formula): RestorePlan => ({
  present,
  isRecreated: !isSameId(present.id, id),
  changed: changedFields(toRequestBody(formula), present),
});

/** Raises conflict (6) if the formula to replace is another one than when the user confirmed. */
export function assertStillPlanned({ name }: HistoryEntry, before: RestorePlan, now: RestorePlan): void {
  if (before.present?.id === now.present?.id) return;
  throw new CliError(
    'conflict',
    `${JSON.stringify(name)} changed on the service in the meantime; nothing was changed`,
    { hint: 'Run the command again.' },
  );
}

/** Updates or creates the formula; `saveVersion` saves the version that is replaced. */
export async function applyRestore(
  { formula }: HistoryEntry,
  plan: RestorePlan,
  client: ServiceClient,
  saveVersion: SaveVersion,
): Promise<Formula> {
  const body = toRequestBody(formula);
  const { present } = plan;
  if (!present) return createFormula(client, body, plan.preexistingIds);
  if (!needsWrite(plan)) return present;
  const saved = saveVersion('update', present, { body, isRestored: true });
  return discardIfRejected(saved, updateFormula(client, present.id, body, present));
}
