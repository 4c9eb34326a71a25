/** Which formula an update of a folder means. */
import type { Send } from '../api/client.ts';
import { findFormula, theOneOf } from '../api/find-formula.ts';
import { findFormulaById, listFormulas } from '../api/formula-reads.ts';
import { findNamesakes } from '../api/incomplete-list.ts';
import { CliError } from '../errors.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { visible } from '../output/escape.ts';
import { pathArgument } from '../text/shell-quote.ts';
import type { Notes } from './tracking.ts';

/** A folder, and the formula that is named for it, if one is. */
export interface UpdateFolder {
  word: string | undefined;
  dir: string;
  /** Absolute and real. */
  path: string;
  body: FormulaBody;
}

/**
 * The formula that is named, else that of the folder's entry in the lock, else the one private formula of the exact
 * name. Raises not_found (5) for none, conflict (6) for several and for one that is linked to another folder, unavailable
 * (8) where the service does not show enough to tell.
 */
export async function findToUpdate(
  { word, dir, path, body: { name } }: UpdateFolder,
  send: Send,
  notes: Notes,
  note: (text: string) => void,
): Promise<Formula> {
  if (word !== undefined) return findFormula(send, word);
  const id = notes.idOf(path);
  const linked = id === undefined ? undefined : await findFormulaById(send, id);
  if (linked) return linked;
  const { formulas, doubt } = await findNamesakes(
    send,
    await listFormulas(send, { needsContent: (one) => one.name === name }),
    name,
  );
  const own = formulas.filter(({ type }) => type !== 'official');
  const hint = `to make it: ${send.command('formula create', pathArgument(dir))}`;
  const found = theOneOf({ formulas: own, doubt }, name, send, hint);
  const other = notes.folderOf(found);
  if (other !== undefined && other !== path) {
    throw new CliError(
      'conflict',
      `the formula ${JSON.stringify(name)} (${found.id}) is linked to another folder: ${other}`,
      {
        hint: `give its id, or first: ${send.command('formula unlink', pathArgument(other))}`,
        details: { ids: [found.id] },
      },
    );
  }
  if (id !== undefined) {
    note(visible(`note: ${id} of the lock is not there any more; ${found.id} has the same name and takes its place`));
  }
  return found;
}
