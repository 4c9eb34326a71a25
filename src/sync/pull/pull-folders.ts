/** Which folder each formula of a pull goes to. Pure. */
import { basename, dirname, join } from 'node:path';
import { folderNames } from '../../files/safe-names.ts';
import type { Formula } from '../../model.ts';

/** What decides about the folders; folders are absolute and real. */
export interface Places {
  /** Where formulas go that have no folder yet. */
  dir: string;
  /** Ids of the lock by folder. */
  ids: ReadonlyMap<string, string>;
  /** Whether a folder of the lock is one to write to. */
  isInScope(folder: string): boolean;
  /** Folders below `dir` by the name in their manifest. */
  named: ReadonlyMap<string, readonly string[]>;
  /** The name that a new folder is named after. */
  nameOf(formula: Formula): string;
}

export interface Placed {
  formula: Formula;
  folder: string;
  /** The folder that the lock names for it, elsewhere than `folder`. */
  linkedTo: string | undefined;
}

/**
 * The folder of each formula: that of the lock; else the one folder of its exact name that is nobody's; else one named
 * after it, which depends on all formulas of the service (`remotes`), so that it is the same whichever are pulled.
 */
export function placeFormulas(formulas: readonly Formula[], remotes: readonly Formula[], places: Places): Placed[] {
  const { dir, ids } = places;
  const linked = new Map([...ids].map(([folder, id]) => [id.toLowerCase(), folder]));
  const owned = ownFolders(remotes, linked, places);
  const taken = new Set([...ids.keys(), ...owned.values()].filter((folder) => dirname(folder) === dir));
  const wanted = new Set(formulas);
  const others = remotes.filter(
    (formula) => !owned.has(formula) && (formula.type !== 'official' || wanted.has(formula)),
  );
  const names = folderNames(
    others.map((formula) => ({ id: formula.id, name: places.nameOf(formula) })),
    [...taken].map((folder) => basename(folder)),
  );
  return formulas.map((formula) => {
    const folder = owned.get(formula) ?? join(dir, names.get(formula.id) ?? '');
    const other = linked.get(formula.id.toLowerCase());
    return { formula, folder, linkedTo: other === folder ? undefined : other };
  });
}

/** The folders that formulas have already. */
function ownFolders(
  remotes: readonly Formula[],
  linked: ReadonlyMap<string, string>,
  { ids, isInScope, named }: Places,
): Map<Formula, string> {
  const namesakes = new Map<string, number>();
  const privates = remotes.filter(({ type }) => type !== 'official');
  for (const { name } of privates) namesakes.set(name, (namesakes.get(name) ?? 0) + 1);
  const owned = new Map<Formula, string>();
  for (const formula of privates) {
    const folder = linked.get(formula.id.toLowerCase());
    const [free, ...more] = (named.get(formula.name) ?? []).filter((candidate) => !ids.has(candidate));
    if (folder !== undefined && isInScope(folder)) owned.set(formula, folder);
    else if (free !== undefined && more.length === 0 && namesakes.get(formula.name) === 1) owned.set(formula, free);
  }
  return owned;
}
