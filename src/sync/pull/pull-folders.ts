/** Which folder each formula of a pull goes to. Pure. */
import { basename, dirname, join } from 'node:path';
import { assignFolderNames } from '../../files/safe-names.ts';
import type { Formula } from '../../model.ts';

/** What decides about the folders; folders are absolute and real. */
export interface AssignmentInput {
  /** Where formulas go that have no folder yet. */
  dir: string;
  /** Ids of the lock by folder. */
  ids: ReadonlyMap<string, string>;
  /** Whether a folder of the lock is one to write to. */
  isInScope(folder: string): boolean;
  /** Folders below `dir` by the name in their manifest. */
  foldersByName: ReadonlyMap<string, readonly string[]>;
  /** The name that a new folder is named after. */
  getName(formula: Formula): string;
}

export interface PullTarget {
  formula: Formula;
  folder: string;
  /** The folder that the lock names for it, elsewhere than `folder`. */
  linkedTo: string | undefined;
}

/**
 * The folder of each formula: that of the lock; else the one folder of its exact name that is nobody's; else one named
 * after it, which depends on all formulas of the service (`remotes`), so that it is the same whichever are pulled.
 */
export function assignFolders(
  formulas: readonly Formula[],
  remotes: readonly Formula[],
  input: AssignmentInput,
): PullTarget[] {
  const { dir, ids } = input;
  const linkedFolders = new Map([...ids].map(([folder, id]) => [id.toLowerCase(), folder]));
  const ownedFolders = findOwnedFolders(remotes, linkedFolders, input);
  const usedFolders = new Set([...ids.keys(), ...ownedFolders.values()].filter((folder) => dirname(folder) === dir));
  const requested = new Set(formulas);
  const unassigned = remotes.filter(
    (formula) => !ownedFolders.has(formula) && (formula.type !== 'official' || requested.has(formula)),
  );
  const names = assignFolderNames(
    unassigned.map((formula) => ({ id: formula.id, name: input.getName(formula) })),
    [...usedFolders].map((folder) => basename(folder)),
  );
  return formulas.map((formula) => {
    const folder = ownedFolders.get(formula) ?? join(dir, names.get(formula.id) ?? '');
    const other = linkedFolders.get(formula.id.toLowerCase());
    return { formula, folder, linkedTo: other === folder ? undefined : other };
  });
}

/** The folders that formulas have already. */
function findOwnedFolders(
  remotes: readonly Formula[],
  linkedFolders: ReadonlyMap<string, string>,
  { ids, isInScope, foldersByName }: AssignmentInput,
): Map<Formula, string> {
  const nameCounts = new Map<string, number>();
  const privates = remotes.filter(({ type }) => type !== 'official');
  for (const { name } of privates) nameCounts.set(name, (nameCounts.get(name) ?? 0) + 1);
  const ownedFolders = new Map<Formula, string>();
  for (const formula of privates) {
    const folder = linkedFolders.get(formula.id.toLowerCase());
    const [unlinkedFolder, ...more] = (foldersByName.get(formula.name) ?? []).filter(
      (candidate) => !ids.has(candidate),
    );
    if (folder !== undefined && isInScope(folder)) ownedFolders.set(formula, folder);
    else if (unlinkedFolder !== undefined && more.length === 0 && nameCounts.get(formula.name) === 1)
      ownedFolders.set(formula, unlinkedFolder);
  }
  return ownedFolders;
}
