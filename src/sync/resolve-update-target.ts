/** Finds the formula that an update replaces. */
import type { ServiceClient } from '../api/client.ts';
import { findFormula, requireUnique } from '../api/find-formula.ts';
import { findFormulaById, listFormulas } from '../api/formula-reads.ts';
import { filterByName } from '../api/incomplete-list.ts';
import { CliError } from '../errors.ts';
import { toDisplayFolder } from '../files/paths.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { escapeControls } from '../output/escape.ts';
import { toPathArgument } from '../text/shell-quote.ts';
import { assertNameFree } from './name-conflict.ts';
import type { Tracking } from './tracking.ts';

/** A folder, and the formula to replace, if it is an argument. */
export interface UpdateRequest {
  idOrName: string | undefined;
  dir: string;
  /** Absolute and real. */
  path: string;
  body: FormulaBody;
}

/**
 * The formula of the argument, otherwise the linked one, otherwise the only private formula of the exact name. Raises
 * not_found (5) for none, conflict (6) for several and for one that is linked to another folder, unavailable (8) for an
 * incomplete list.
 */
export async function resolveUpdateTarget(
  { idOrName, dir, path, body: { name } }: UpdateRequest,
  client: ServiceClient,
  tracking: Tracking,
  cwd: string,
  warn: (text: string) => void,
): Promise<Formula> {
  const id = tracking.ids.get(path);
  const findLinked = async () => (id === undefined ? undefined : findFormulaById(client, id));
  const chosen = await (idOrName === undefined ? findLinked() : findFormula(client, idOrName));
  if (chosen) {
    if (chosen.name !== name) assertNameFree(await listFormulas(client, { needsContent: () => false }), name, client);
    return chosen;
  }
  const list = filterByName(await listFormulas(client, { needsContent: (one) => one.name === name }), name);
  const items = list.items.filter(({ type }) => type !== 'official');
  const hint = `To create it, run: ${client.command('formula create', toPathArgument(dir))}`;
  const found = requireUnique({ ...list, items }, name, client, hint);
  const owner = tracking.findFolder(found);
  // A folder without a lock file is not linked, so the formula keeps its one folder.
  if (owner !== undefined && owner !== path && tracking.findFile(path) !== undefined) {
    const other = toDisplayFolder(cwd, owner);
    const message = `the formula ${JSON.stringify(name)} (${found.id}) is linked to another folder: ${other}`;
    const hint = `To update it from this folder, run: ${client.command('formula update', found.id, toPathArgument(dir))}\nTo unlink the other folder, run: ${client.command('formula unlink', toPathArgument(other))}`;
    throw new CliError('conflict', message, { hint, details: { ids: [found.id] } });
  }
  if (id !== undefined) {
    warn(escapeControls(`note: the linked formula ${id} no longer exists; using ${found.id}, which has the same name`));
  }
  return found;
}
