/** Finds remote formulas by id and name, and the folders that are linked to them. Pure. */
import type { Formula } from '../../model.ts';

export interface Matcher {
  /** The private formula of an id. */
  findById(id: string): Formula | undefined;
  /** All private formulas of an exact name. */
  findByName(name: string): readonly Formula[];
  /** The existing folder that is linked to a formula. */
  findOwner(remote: Formula): string | undefined;
  /** The names in the manifests of the folders that are linked to a formula. */
  listLinkedNames(remote: Formula): readonly string[];
}

/** Local folders, remote formulas, and the linked ids by path. */
export interface MatchInput {
  locals: readonly { path: string; name: string }[];
  remotes: readonly Formula[];
  ids: ReadonlyMap<string, string>;
  /** Linked folders that no longer exist. */
  missingFolders: ReadonlySet<string>;
}

export function createMatcher({ locals, remotes, ids, missingFolders }: MatchInput): Matcher {
  const byId = new Map<string, Formula>();
  const byName = new Map<string, Formula[]>();
  for (const remote of remotes) {
    if (remote.type === 'official') continue;
    byId.set(remote.id.toLowerCase(), remote);
    const sameNamed = byName.get(remote.name);
    if (sameNamed) sameNamed.push(remote);
    else byName.set(remote.name, [remote]);
  }
  const linkedNames = new Map<string, string[]>();
  for (const { path, name } of locals) {
    const id = ids.get(path)?.toLowerCase();
    if (id !== undefined) linkedNames.set(id, [...(linkedNames.get(id) ?? []), name]);
  }
  const owners = new Map(
    [...ids].filter(([path]) => !missingFolders.has(path)).map(([path, id]) => [id.toLowerCase(), path]),
  );
  return {
    findById: (id) => byId.get(id.toLowerCase()),
    findByName: (name) => byName.get(name) ?? [],
    findOwner: ({ id }) => owners.get(id.toLowerCase()),
    listLinkedNames: ({ id }) => linkedNames.get(id.toLowerCase()) ?? [],
  };
}
