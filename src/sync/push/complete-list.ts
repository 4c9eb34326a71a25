/** Completes a list that lacks something by the service's own account, as far as a plan rests on it. */
import type { Send } from '../../api/client.ts';
import { findIds, findNamesakes, type Namesakes } from '../../api/incomplete-list.ts';
import type { Collected } from '../../api/pagination.ts';
import { inParallel } from '../../host/parallel.ts';
import type { Formula } from '../../model.ts';
import type { Situation } from './plan.ts';

type Folders = Pick<Situation, 'locals' | 'ids'>;

/** Asks for the ids of the lock, then for the names in question, so many at once; a complete list is taken as it is. */
export async function knownOf(
  send: Send,
  list: Collected<Formula>,
  folders: Folders,
  atOnce: number,
): Promise<Pick<Situation, 'remotes' | 'doubts'>> {
  const { formulas, doubts: ids } = await findIds(send, list, folders.ids.values(), atOnce);
  if (list.doubt === undefined) return { remotes: formulas, doubts: { ids, names: new Map() } };
  const names = namesInQuestion(folders, formulas);
  const found = await inParallel(names, atOnce, (name) => findNamesakes(send, { ...list, items: [...formulas] }, name));
  return {
    remotes: [...new Set([...formulas, ...found.flatMap((namesakes) => namesakes.formulas)])],
    doubts: { ids, names: openNames(names, found) },
  };
}

/** The names of folders that are matched by it, or that a formula is to be given. Pure. */
export function namesInQuestion({ locals, ids }: Folders, formulas: readonly Formula[]): string[] {
  const names = new Map(
    formulas.map(({ id, name, type }) => [id.toLowerCase(), type === 'official' ? undefined : name]),
  );
  const asked = locals.filter(({ path, name }) => names.get(ids.get(path)?.toLowerCase() ?? '') !== name);
  return [...new Set(asked.map(({ name }) => name))];
}

const openNames = (names: readonly string[], found: readonly Namesakes[]) =>
  new Map(names.flatMap((name, i) => (found[i]?.doubt === undefined ? [] : [[name, found[i].doubt] as const])));
