/** Sends one create, update, or delete, and saves the version that it replaces. */
import type { ServiceClient } from '../api/client.ts';
import { createFormula, deleteFormula, updateFormula, type WriteResult } from '../api/formula-writes.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { discardIfRejected, type SaveVersion } from '../state/history.ts';

/** Creates a formula without `remote`, deletes it without `body`. */
type Write =
  | { body: FormulaBody; remote?: undefined; isRestored?: boolean }
  | { body?: FormulaBody | undefined; remote: Formula; isRestored?: boolean };

export interface WriteContext {
  client: ServiceClient;
  saveVersion: SaveVersion;
  /** The ids before the first create, and those that were created since; undefined if the list may lack some. */
  knownIds?: Set<string> | undefined;
}

export interface SentWrite extends WriteResult {
  /** The history entry of the version that was replaced. */
  savedEntry?: string | undefined;
}

export async function sendWrite(
  { body, remote, isRestored = false }: Write,
  { client, saveVersion, knownIds }: WriteContext,
): Promise<SentWrite> {
  if (!remote) {
    const created = await createFormula(client, body, knownIds);
    // Two writes cannot be one formula: a later create with a lost response must not take this one for its own.
    knownIds?.add(created.formula.id);
    return created;
  }
  const saved = saveVersion(body ? 'update' : 'delete', remote, body && { body, isRestored });
  const send = async () =>
    body
      ? updateFormula(client, remote.id, body, remote)
      : { formula: remote, ...(await deleteFormula(client, remote)) };
  return { ...(await discardIfRejected(saved, send())), savedEntry: saved?.entry };
}
