/** Finds formulas that another computer created with the same names at the same time. */
import type { ServiceClient } from '../../api/client.ts';
import { listFormulas } from '../../api/formula-reads.ts';
import { CliError } from '../../errors.ts';
import type { Formula } from '../../model.ts';
import { groupBy } from '../../text/group-by.ts';

/** A formula that this command created. */
export type CreatedFormula = Pick<Formula, 'id' | 'name'>;

/**
 * Lists the formulas once and finds those of the same names that neither this command created nor existed before. Returns
 * conflicts (6) by the created id. If the list fails, warns and returns none.
 */
export async function findNameConflicts(
  client: ServiceClient,
  created: readonly CreatedFormula[],
  preexistingIds: ReadonlySet<string> | undefined,
): Promise<ReadonlyMap<string, CliError>> {
  if (created.length === 0 || !preexistingIds) return new Map();
  const description = 'check whether another computer created the same names';
  try {
    const { items, incompleteReason } = await listFormulas(client, {
      description,
      needsContent: () => false,
      warn: () => undefined,
    });
    if (incompleteReason !== undefined) client.warn(`warning: could not ${description}: ${incompleteReason}`);
    return collectNameConflicts(created, items, preexistingIds, client.command);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    client.warn(`warning: ${error.message}`);
    return new Map();
  }
}

function collectNameConflicts(
  created: readonly CreatedFormula[],
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
