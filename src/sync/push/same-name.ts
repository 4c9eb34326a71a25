/** Finds formulas that another computer created with the same names at the same time. */
import type { ServiceClient } from '../../api/client.ts';
import { listFormulas } from '../../api/formula-reads.ts';
import { CliError } from '../../errors.ts';
import type { Formula, NamedFormula } from '../../model.ts';
import { groupBy } from '../../text/group-by.ts';

export interface NameConflicts {
  conflicts: ReadonlyMap<string, CliError>;
  warnings: readonly string[];
}

/**
 * Lists the formulas once and finds those of the same names that neither this command created nor existed before. Returns
 * conflicts (6) by the created id, and warnings if the list failed or is incomplete.
 */
export async function findNameConflicts(
  client: ServiceClient,
  created: readonly NamedFormula[],
  preexistingIds: ReadonlySet<string> | undefined,
): Promise<NameConflicts> {
  if (created.length === 0 || !preexistingIds) return { conflicts: new Map(), warnings: [] };
  const description = 'check whether another computer created the same names';
  try {
    const { items, incompleteReason } = await listFormulas(client, { description, needsContent: () => false });
    const warnings = incompleteReason === undefined ? [] : [`warning: could not ${description}: ${incompleteReason}`];
    return { conflicts: collectNameConflicts(created, items, preexistingIds, client.command), warnings };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { conflicts: new Map(), warnings: [`warning: ${error.message}`] };
  }
}

/** Marks the created ones of several results as conflicts. */
export async function markNameConflicts<Result extends { outcome: string; error?: CliError | undefined }>(
  client: ServiceClient,
  results: readonly Result[],
  toFormula: (result: Result) => NamedFormula,
  preexistingIds: ReadonlySet<string> | undefined,
): Promise<{ results: Result[]; warnings: readonly string[] }> {
  const created = results.filter(({ outcome }) => outcome === 'created').map(toFormula);
  const { conflicts, warnings } = await findNameConflicts(client, created, preexistingIds);
  const mark = (result: Result): Result => {
    const error = conflicts.get(toFormula(result).id);
    return error ? { ...result, outcome: 'conflict', error } : result;
  };
  return { results: results.map(mark), warnings };
}

function collectNameConflicts(
  created: readonly NamedFormula[],
  formulas: readonly Formula[],
  preexistingIds: ReadonlySet<string>,
  command: ServiceClient['command'],
): Map<string, CliError> {
  const createdIds = new Set(created.map(({ id }) => id.toLowerCase()));
  const isNew = ({ id, type }: Formula) =>
    type !== 'official' && !preexistingIds.has(id) && !createdIds.has(id.toLowerCase());
  const byName = groupBy(formulas.filter(isNew), ({ name }) => name);
  return new Map(
    created.flatMap(({ id, name }) => {
      const others = byName.get(name)?.map((other) => other.id);
      if (!others) return [];
      const ids = [id, ...others];
      // The same on both computers, so that only one is deleted.
      const last = [...ids].sort().at(-1) ?? id;
      const message = `${JSON.stringify(name)} was created twice at the same time: ${id} by this command, ${others.join(', ')} by another computer`;
      const hint = `To delete one of them, run: ${command('formula delete', last)}`;
      return [[id, new CliError('conflict', message, { hint, details: { ids } })] as const];
    }),
  );
}
