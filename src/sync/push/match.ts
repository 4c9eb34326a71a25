/** The formulas of a service by id and name, and the folders that they are linked to. Pure. */
import type { Formula } from '../../model.ts';

export interface Matcher {
  /** The private formula of an id. */
  byId(id: string): Formula | undefined;
  /** All private formulas of an exact name. */
  byName(name: string): readonly Formula[];
  /** The folder that a formula is linked to and that is still there. */
  ownerOf(remote: Formula): string | undefined;
  /** The names in the folders that are linked to a formula; none of one that none is linked to. */
  wantedNames(remote: Formula): readonly string[];
}

/** Local folders, the formulas of the service, and the ids that folders (by path) are linked to. */
export interface MatchInput {
  locals: readonly { path: string; name: string }[];
  remotes: readonly Formula[];
  ids: ReadonlyMap<string, string>;
  /** Linked folders that no longer exist. */
  gone: ReadonlySet<string>;
}

export function matcher({ locals, remotes, ids, gone }: MatchInput): Matcher {
  const byId = new Map<string, Formula>();
  const byName = new Map<string, Formula[]>();
  for (const remote of remotes) {
    if (remote.type === 'official') continue;
    byId.set(remote.id.toLowerCase(), remote);
    const namesakes = byName.get(remote.name);
    if (namesakes) namesakes.push(remote);
    else byName.set(remote.name, [remote]);
  }
  const wanted = new Map<string, string[]>();
  for (const { path, name } of locals) {
    const id = ids.get(path)?.toLowerCase();
    if (id !== undefined) wanted.set(id, [...(wanted.get(id) ?? []), name]);
  }
  const owners = new Map([...ids].filter(([path]) => !gone.has(path)).map(([path, id]) => [id.toLowerCase(), path]));
  return {
    byId: (id) => byId.get(id.toLowerCase()),
    byName: (name) => byName.get(name) ?? [],
    ownerOf: ({ id }) => owners.get(id.toLowerCase()),
    wantedNames: ({ id }) => wanted.get(id.toLowerCase()) ?? [],
  };
}
