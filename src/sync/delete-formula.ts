/** Deletes a formula after its current version was saved. */
import type { ServiceClient } from '../api/client.ts';
import { getFormula } from '../api/formula-reads.ts';
import { deleteFormula } from '../api/formula-writes.ts';
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import { discardIfRejected, type SaveVersion } from '../state/history.ts';
import { toFailedOutcome } from './outcome.ts';

export const DELETION_OUTCOMES = ['deleted', 'failed', 'unknown', 'not_started'] as const;

export interface Deletion {
  formula: Formula;
  outcome: (typeof DELETION_OUTCOMES)[number];
  error?: CliError;
  /** The history entry. */
  entry?: string | undefined;
}

/** Saves the current version, if `saveVersion` is set, and deletes the formula. */
export async function deleteWithBackup(
  client: ServiceClient,
  formula: Formula,
  saveVersion: SaveVersion | undefined,
): Promise<Deletion> {
  try {
    const saved = saveVersion?.('delete', await getFormula(client, formula.id));
    await discardIfRejected(saved, deleteFormula(client, formula));
    return { formula, outcome: 'deleted', entry: saved?.entry };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { formula, outcome: toFailedOutcome(error), error };
  }
}
