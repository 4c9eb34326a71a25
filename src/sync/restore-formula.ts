/** Restores a saved version of a formula: finds the formula that it replaces, and updates or creates it. */
import type { ServiceClient } from '../api/client.ts';
import { requireUnique } from '../api/find-formula.ts';
import { isSameId } from '../api/formula-guards.ts';
import { findFormulaById, getFormula, listFormulas } from '../api/formula-reads.ts';
import { createFormula, updateFormula } from '../api/formula-writes.ts';
import { filterByName, findPreexistingIds } from '../api/incomplete-list.ts';
import { CliError } from '../errors.ts';
import { changedFields, toRequestBody } from '../formula-fields.ts';
import type { Formula } from '../model.ts';
import { discardIfRejected, type SavedVersion } from '../state/history.ts';
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
export async function planRestore({ id, formula }: HistoryEntry, client: ServiceClient): Promise<RestorePlan> {
  const body = toRequestBody(formula);
  const byId = await findFormulaById(client, id);
  if (byId) {
    if (byId.name !== body.name)
      assertNameFree(await listFormulas(client, { needsContent: () => false }), body.name, client);
    return { present: byId, isRecreated: false, changed: changedFields(body, byId) };
  }
  const list = await listFormulas(client, {
    description: 'check whether the formula was created again',
    needsContent: () => false,
  });
  const { items, incompleteReason } = filterByName(list, body.name);
  const matches = { incompleteReason, items: items.filter(({ type }) => type !== 'official') };
  if (matches.items.length === 0 && incompleteReason === undefined)
    return { present: undefined, isRecreated: false, changed: [], preexistingIds: findPreexistingIds(list) };
  const present = await getFormula(client, requireUnique(matches, body.name, client, '').id);
  return { present, isRecreated: !isSameId(present.id, id), changed: changedFields(body, present) };
}

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
  saveVersion: (formula: Formula) => SavedVersion | undefined,
): Promise<Formula> {
  const body = toRequestBody(formula);
  const { present } = plan;
  if (!present) return createFormula(client, body, plan.preexistingIds);
  if (!needsWrite(plan)) return present;
  return discardIfRejected(saveVersion(present), updateFormula(client, present.id, body, present));
}
