/** Assigns a folder to each formula of a pull. Pure. */
import { basename, dirname, join } from 'node:path';
import { assignFolderNames } from '../../files/safe-names.ts';
import type { Formula } from '../../model.ts';
import { groupBy } from '../../text/group-by.ts';

/** All folders are absolute and real. */
export interface AssignmentInput {
  /** The parent of new folders. */
  dir: string;
  /** The linked ids, by folder. */
  ids: ReadonlyMap<string, string>;
  /** Whether a linked folder may be written. */
  isInScope(folder: string): boolean;
  /** Folders below `dir` by the name in their manifest. */
  foldersByName: ReadonlyMap<string | undefined, readonly string[]>;
  /** The name from which that of a new folder is derived. */
  getName(formula: Formula): string;
}

export interface PullTarget {
  formula: Formula;
  folder: string;
  /** The linked folder, if it is another one than `folder`. */
  linkedTo: string | undefined;
}

/**
 * The folder of each formula: the linked one, otherwise the only unlinked one of its exact name, otherwise a new one. The
 * names of new folders depend on all formulas of the service (`remotes`), so that they are the same in every pull.
 */
export function assignFolders(
  formulas: readonly Formula[],
  remotes: readonly Formula[],
  input: AssignmentInput,
): PullTarget[] {
  const { dir, ids } = input;
  const linkedFolders = new Map([...ids].map(([folder, id]) => [id.toLowerCase(), folder]));
  const ownedFolders = findOwnedFolders(remotes, linkedFolders, input);
  const names = new Set(remotes.map(({ name }) => name));
  const others = [...input.foldersByName].flatMap(([name, folders]) =>
    name === undefined || names.has(name) ? [] : folders,
  );
  const usedFolders = new Set(
    [...ids.keys(), ...ownedFolders.values(), ...others].filter((folder) => dirname(folder) === dir),
  );
  const requested = new Set(formulas);
  const unassigned = remotes.filter(
    (formula) => !ownedFolders.has(formula) && (formula.type !== 'official' || requested.has(formula)),
  );
  const newNames = assignFolderNames(
    unassigned.map((formula) => ({ id: formula.id, name: input.getName(formula) })),
    [...usedFolders].map((folder) => basename(folder)),
  );
  return formulas.map((formula) => {
    const folder = ownedFolders.get(formula) ?? join(dir, newNames.get(formula.id) ?? '');
    const other = linkedFolders.get(formula.id.toLowerCase());
    return { formula, folder, linkedTo: other === folder ? undefined : other };
  });
}

/** The existing folders of formulas. */
function findOwnedFolders(
  remotes: readonly Formula[],
  linkedFolders: ReadonlyMap<string, string>,
  { ids, isInScope, foldersByName }: AssignmentInput,
): Map<Formula, string> {
  const privates = remotes.filter(({ type }) => type !== 'official');
  const byName = groupBy(privates, ({ name }) => name);
  const ownedFolders = new Map<Formula, string>();
  for (const formula of privates) {
    const folder = linkedFolders.get(formula.id.toLowerCase());
    const [unlinkedFolder, ...more] = (foldersByName.get(formula.name) ?? []).filter(
      (candidate) => !ids.has(candidate),
    );
    if (folder !== undefined && isInScope(folder)) ownedFolders.set(formula, folder);
    else if (unlinkedFolder !== undefined && more.length === 0 && byName.get(formula.name)?.length === 1)
      ownedFolders.set(formula, unlinkedFolder);
  }
  return ownedFolders;
}
