/** The formulas of a service by id and name, and the folders that they are linked to. Pure. */
import type { Formula } from '../model.ts';
import type { Situation } from './plan.ts';

export interface Matcher {
  /** The private formula of an id. */
  byId(id: string): Formula | undefined;
  /** All private formulas of an exact name. */
  byName(name: string): readonly Formula[];
  /** The folder that a formula is linked to and that is still there. */
  ownerOf(remote: Formula): string | undefined;
}

export function matcher({ remotes, ids, gone }: Pick<Situation, 'remotes' | 'ids' | 'gone'>): Matcher {
  const byId = new Map<string, Formula>();
  const byName = new Map<string, Formula[]>();
  for (const remote of remotes) {
    if (remote.type === 'official') continue;
    byId.set(remote.id.toLowerCase(), remote);
    const namesakes = byName.get(remote.name);
    if (namesakes) namesakes.push(remote);
    else byName.set(remote.name, [remote]);
  }
  const owners = new Map([...ids].filter(([path]) => !gone.has(path)).map(([path, id]) => [id.toLowerCase(), path]));
  return {
    byId: (id) => byId.get(id.toLowerCase()),
    byName: (name) => byName.get(name) ?? [],
    ownerOf: ({ id }) => owners.get(id.toLowerCase()),
  };
}
