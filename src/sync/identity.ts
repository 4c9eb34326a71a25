/** Decides which formula each folder of a repository is. Pure. */
import { groupBy } from '../text/group-by.ts';

/** A formula folder that the search for formulas does not skip. All paths are absolute and real. */
export interface NamedFolder {
  path: string;
  /** Of its manifest; undefined if it cannot be read. */
  name: string | undefined;
}

/** An entry of a lock file. */
interface Entry {
  path: string;
  id: string;
  /** Whether its folder contains no formula any more, and no sparse checkout skips it. */
  isGone: boolean;
}

export interface IdentityInput {
  folders: readonly NamedFolder[];
  entries: readonly Entry[];
  /** The private formulas of the service. */
  remotes: readonly { id: string; name: string }[];
  /** Whether a folder has the code of a formula on the service. */
  hasCode(path: string, id: string): boolean;
}

/** All ids are in lower case. */
export type Identity =
  | {
      kind: 'formula';
      id: string;
      /** The folder of its entry, if it is another one. */
      movedFrom?: string;
      /** Found by its name. */
      isAdopted?: boolean;
    }
  | { kind: 'new' }
  /** Several formulas have the name, and no entry says which one it is. */
  | { kind: 'ambiguous'; ids: readonly string[] }
  /** The folder, or one of `others`, may be the formula of an entry. */
  | { kind: 'conflict'; id: string; entryPath: string; others: readonly string[] };

/** The identity of each folder, by its path. An id is the identity of one folder at most. */
export function identifyFolders(input: IdentityInput): Map<string, Identity> {
  const facts = createFacts(input);
  const movedAway = claimOwn(facts);
  const isUnlinked = (path: string) => !facts.entryIds.has(path) || movedAway.has(path);
  claimGone(facts, isUnlinked);
  const taken = new Set([...facts.entryIds.values(), ...facts.gone.keys()]);
  for (const { isGone, id } of input.entries) if (!isGone) taken.add(id.toLowerCase());
  const free = groupBy(
    [...facts.remotes].filter(([id]) => !taken.has(id)),
    ([, name]) => name,
  );
  return new Map(
    [...facts.names].map(([path, name]) => {
      const claims = facts.claims.get(path) ?? [];
      if (claims.length > 0) return [path, toIdentity(path, claims)];
      const ids = name === undefined ? [] : (free.get(name) ?? []).map(([id]) => id);
      const [id] = ids;
      if (id === undefined) return [path, { kind: 'new' }];
      return [path, ids.length > 1 ? { kind: 'ambiguous', ids } : { kind: 'formula', id, isAdopted: true }];
    }),
  );
}

/** What is known, and what each folder may be. */
interface Facts extends Pick<IdentityInput, 'hasCode'> {
  /** By id. */
  remotes: ReadonlyMap<string, string>;
  /** By folder. */
  names: ReadonlyMap<string, string | undefined>;
  /** The ids of folders that exist. */
  entryIds: ReadonlyMap<string, string>;
  /** The entries, by id, of formulas all of whose folders are gone. */
  gone: ReadonlyMap<string, string>;
  hasName(path: string, id: string): boolean;
  findNamed(id: string): readonly string[];
  claims: Map<string, Identity[]>;
}

function createFacts({ folders, entries, remotes: list, hasCode }: IdentityInput): Facts {
  const remotes = new Map(list.map(({ id, name }) => [id.toLowerCase(), name]));
  const names = new Map(folders.map(({ path, name }) => [path, name]));
  const byName = groupBy(names, ([, name]) => name);
  const known = entries.map((entry) => ({ ...entry, id: entry.id.toLowerCase() })).filter(({ id }) => remotes.has(id));
  const entryIds = new Map(known.filter(({ isGone }) => !isGone).map(({ path, id }) => [path, id]));
  const owned = new Set(entryIds.values());
  return {
    hasCode,
    remotes,
    names,
    entryIds,
    gone: new Map(known.filter(({ isGone, id }) => isGone && !owned.has(id)).map(({ path, id }) => [id, path])),
    hasName: (path, id) => remotes.has(id) && names.get(path) === remotes.get(id),
    findNamed: (id) => (byName.get(remotes.get(id)) ?? []).map(([path]) => path),
    claims: new Map(),
  };
}

const claim = ({ claims }: Facts, path: string, identity: Identity) =>
  claims.set(path, [...(claims.get(path) ?? []), identity]);

function claimConflict(facts: Facts, id: string, entryPath: string, paths: readonly string[]): void {
  for (const path of paths)
    claim(facts, path, { kind: 'conflict', id, entryPath, others: paths.filter((other) => other !== path) });
}

/** Looks for the formulas of folders that exist: where another folder has the name, the code decides. */
function claimOwn(facts: Facts): Set<string> {
  const movedAway = new Set<string>();
  for (const [path, id] of facts.entryIds) {
    if (!facts.names.has(path)) continue;
    const found = findOwn(path, id, facts);
    if ('conflict' in found) claimConflict(facts, found.id, found.entryPath, found.conflict);
    else if (found.path === path) claim(facts, path, { kind: 'formula', id });
    else {
      claim(facts, found.path, { kind: 'formula', id, movedFrom: path });
      movedAway.add(path);
    }
  }
  claimContradictions(facts);
  return movedAway;
}

/** A folder that two entries could be of leaves open which formula the folder of the other entry is, too. */
function claimContradictions(facts: Facts): void {
  const contradictory = [...facts.claims].filter(([, claims]) => claims.length > 1);
  for (const [path, claims] of contradictory)
    for (const one of claims)
      if (one.kind === 'formula' && one.movedFrom !== undefined)
        claimConflict(facts, one.id, one.movedFrom, [one.movedFrom, path]);
}

type Owner = { path: string } | { conflict: readonly string[]; id: string; entryPath: string };

function findOwn(path: string, id: string, facts: Facts): Owner {
  const { names, entryIds, hasName, hasCode } = facts;
  if (names.get(path) === undefined || hasName(path, id)) return { path };
  const isSettled = (other: string) => hasName(other, entryIds.get(other) ?? '');
  const others = facts.findNamed(id).filter((other) => !isSettled(other));
  if (others.length === 0) {
    const replaced = findReplacing(path, id, facts);
    return replaced === undefined
      ? { path }
      : { conflict: [path], id: replaced, entryPath: facts.gone.get(replaced) ?? '' };
  }
  const [found = path, ...more] = [path, ...others].filter((one) => hasCode(one, id));
  const isTold = more.length === 0 && hasCode(found, id);
  return isTold ? { path: found } : { conflict: [path, ...others], id, entryPath: path };
}

/** A folder that was moved onto one with an entry has the name, or the code, of a formula whose folder is gone. */
function findReplacing(path: string, ownId: string, facts: Facts): string | undefined {
  const { gone, hasName, hasCode } = facts;
  const ids = [...gone.keys()];
  const named = ids.find((id) => hasName(path, id));
  if (named !== undefined || ids.length === 0 || hasCode(path, ownId)) return named;
  return ids.find((id) => isCodeOfOne(path, id, facts));
}

/** Whether a folder has the code of this formula and of no other with an entry: code of a template shows nothing. */
const isCodeOfOne = (path: string, id: string, { hasCode, gone, entryIds }: Facts): boolean =>
  hasCode(path, id) && ![...gone.keys(), ...entryIds.values()].some((other) => other !== id && hasCode(path, other));

/** Looks for the formulas of folders that are gone, first by their names, then by their code. */
function claimGone(facts: Facts, isUnlinked: (path: string) => boolean): void {
  const unlinked = [...facts.names.keys()].filter(isUnlinked);
  const nameless: [id: string, entryPath: string][] = [];
  for (const [id, entryPath] of facts.gone) {
    const named = facts.findNamed(id).filter(isUnlinked);
    const [moved, ...more] = named;
    if (moved === undefined) nameless.push([id, entryPath]);
    else if (more.length > 0) claimConflict(facts, id, entryPath, named);
    else claim(facts, moved, { kind: 'formula', id, movedFrom: entryPath });
  }
  const free = unlinked.filter((path) => !facts.claims.has(path));
  for (const [id, entryPath] of nameless)
    for (const path of free) if (isCodeOfOne(path, id, facts)) claimConflict(facts, id, entryPath, [path]);
}

/** A folder that several entries could be of is a conflict. */
function toIdentity(path: string, claims: readonly Identity[]): Identity {
  const known = claims.length === 1 ? claims[0] : claims.find(({ kind }) => kind === 'conflict');
  if (known) return known;
  const moved = claims.find((one) => one.kind === 'formula' && one.movedFrom !== undefined);
  const { id, movedFrom } = { id: '', movedFrom: path, ...moved };
  return { kind: 'conflict', id, entryPath: movedFrom, others: [] };
}

export interface PruneInput extends Pick<IdentityInput, 'entries' | 'remotes'> {
  identities: ReadonlyMap<string, Identity>;
  /** All manifests of the repository, also in folders that the search skips. */
  manifests: readonly NamedFolder[];
  /** Whether the entry of a folder that no longer exists is under the PATHs, and not left out. */
  isInScope(path: string): boolean;
}

export interface Prunable {
  /** The entries whose formulas may be deleted. */
  deleted: readonly Entry[];
  /** The others in scope, and the folder with the formula's name, if that is the reason. */
  kept: readonly { entry: Entry; folder?: string | undefined }[];
}

/** Which formulas `--prune` may delete: those that no folder is, may be, or is named like. */
export function findPrunable({ entries, remotes, identities, manifests, isInScope }: PruneInput): Prunable {
  const used = new Set([...identities.values()].flatMap(listIds));
  for (const { isGone, id } of entries) if (!isGone) used.add(id.toLowerCase());
  const names = new Map(remotes.map(({ id, name }) => [id.toLowerCase(), name]));
  const folders = new Map(manifests.map(({ path, name }) => [name, path]));
  const deleted = new Map<string, Entry>();
  const kept: { entry: Entry; folder?: string | undefined }[] = [];
  for (const entry of entries.filter(({ isGone, path }) => isGone && isInScope(path))) {
    const id = entry.id.toLowerCase();
    const folder = folders.get(names.get(id));
    if (!names.has(id) || deleted.has(id)) continue;
    if (used.has(id) || folder !== undefined) kept.push({ entry, folder });
    else deleted.set(id, entry);
  }
  return { deleted: [...deleted.values()], kept };
}

function listIds(identity: Identity): readonly string[] {
  if (identity.kind === 'new') return [];
  return identity.kind === 'ambiguous' ? identity.ids : [identity.id];
}
