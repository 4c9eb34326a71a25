/** The formula of each folder, or the conflict. Pure. */
import type { ListResult } from '../../api/pagination.ts';
import type { ValidFolder } from '../../check/check-tree.ts';
import { CliError } from '../../errors.ts';
import type { Formula } from '../../model.ts';
import { groupBy } from '../../text/group-by.ts';
import { type CommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import type { Identity, NamedFolder } from '../identity.ts';
import { assertSameTenant } from './tenant-guard.ts';

/** The facts that decide which formula a folder is. */
export interface MatchFacts {
  folders: readonly ValidFolder[];
  /** All formulas of the service; the list may be incomplete. */
  remotes: ListResult<Formula>;
  /** The ids of the lock entries, by folder (absolute and real). */
  ids: ReadonlyMap<string, string>;
  lockFiles: readonly string[];
  /** Folders of lock entries that no longer contain a formula. */
  missingFolders: ReadonlySet<string>;
  identities: ReadonlyMap<string, Identity>;
  /** All manifests of the repositories, if some folders are missing. */
  manifests: readonly NamedFolder[];
}

export interface MatchOptions {
  force: boolean;
  /** Formats a command, such as `formula list`, for the same service. */
  command: CommandFormatter;
  /** The path of a folder for messages. */
  formatFolder(path: string): string;
}

/** A folder and its formula; without one it is new, or in conflict. */
export interface Match {
  folder: ValidFolder;
  remote?: Formula | undefined;
  /** Found by its name. */
  adopted?: boolean;
  /** The folder of the formula's lock entry. */
  movedFrom?: string | undefined;
  /** The id of the folder's lock entry, if it no longer exists. */
  missingId?: string | undefined;
  conflict?: { reason: string; hint: string } | undefined;
}

/**
 * Official formulas are never matched. Raises conflict (6) if the service has none of the ids in the lock file,
 * unavailable (8) if a match depends on the missing part of an incomplete list.
 */
export function matchFolders(facts: MatchFacts, options: MatchOptions): Match[] {
  if (!options.force) {
    const lockedIds = { ids: facts.ids.values(), files: facts.lockFiles };
    assertSameTenant(lockedIds, facts.remotes, 'finds formulas by name or creates them', options.command);
  }
  const index = createIndex(facts);
  return facts.folders.map((folder) => matchFolder(folder, facts, index, options));
}

/** Raises unavailable (8) for an incomplete list, which proves no absence. `question` follows "could not tell". */
export function assertComplete({ remotes }: MatchFacts, question: string, { command }: MatchOptions): void {
  if (remotes.incompleteReason === undefined) return;
  throw new CliError('unavailable', `could not tell ${question}: ${remotes.incompleteReason}`, {
    hint: `To set which formula a folder is, run: ${command('formula link', 'DIR', 'ID')}`,
  });
}

/** The private formulas, by id. */
export const indexById = (remotes: readonly Formula[]): ReadonlyMap<string, Formula> =>
  new Map(remotes.flatMap((one) => (one.type === 'official' ? [] : [[one.id.toLowerCase(), one]])));

/** Of one hint. */
const MAX_COMMANDS = 3;

type Index = ReturnType<typeof createIndex>;

function createIndex(facts: MatchFacts) {
  const { folders, ids, missingFolders, identities } = facts;
  const byId = indexById(facts.remotes.items);
  const byName = groupBy(byId.values(), ({ name }) => name);
  const owners = new Map<string, string>();
  for (const [path, id] of ids) if (!missingFolders.has(path)) owners.set(id.toLowerCase(), path);
  for (const [path, identity] of identities) if (identity.kind === 'formula') owners.set(identity.id, path);
  const linked = groupBy(folders, ({ folder }) => {
    const identity = identities.get(folder.path);
    return identity?.kind === 'formula' && !identity.isAdopted ? identity.id : undefined;
  });
  return {
    /** The private formula of an id. */
    findById: (id: string) => byId.get(id.toLowerCase()),
    /** All private formulas of an exact name. */
    findByName: (name: string) => byName.get(name) ?? [],
    /** The name of a folder. */
    findName: (path: string) => folders.find(({ folder }) => folder.path === path)?.body.name,
    /** The existing folder that has the lock entry of a formula. */
    findOwner: ({ id }: Formula) => owners.get(id.toLowerCase()),
    /** The names in the manifests of the folders that are a formula. */
    listLinkedNames: ({ id }: Formula) => linked.get(id.toLowerCase())?.map(({ body }) => body.name) ?? [],
  };
}

function matchFolder(folder: ValidFolder, facts: MatchFacts, index: Index, options: MatchOptions): Match {
  const { path, displayPath } = folder.folder;
  const identity = facts.identities.get(path) ?? { kind: 'new' };
  const id = facts.ids.get(path);
  const missing = id === undefined || index.findById(id) ? {} : { missingId: id };
  if (identity.kind === 'ambiguous') {
    const link = (one: string) => options.command('formula link', toPathArgument(displayPath), one);
    const conflict = {
      reason: `${identity.ids.length} formulas have this name (${identity.ids.join(', ')})`,
      hint: identity.ids
        .slice(0, MAX_COMMANDS)
        .map((one) => `To link the folder to ${one}, run: ${link(one)}`)
        .join('\n'),
    };
    return { folder, ...missing, conflict };
  }
  if (identity.kind === 'conflict') return { folder, conflict: formatConflict(folder, identity, index, options) };
  const remote = identity.kind === 'formula' ? index.findById(identity.id) : undefined;
  if (identity.kind === 'formula' && remote && !identity.isAdopted) {
    const conflict = findRenameConflict(folder, remote, index, options);
    return { folder, remote, conflict, movedFrom: conflict ? undefined : identity.movedFrom };
  }
  assertComplete(facts, `which formula ${displayPath} is`, options);
  if (remote) return { folder, remote, adopted: true, ...missing };
  return { folder, ...missing, conflict: findNameInUse(folder, facts, index, options) };
}

/** A folder that may be the formula of an entry, whose folder is another one, or was renamed. */
function formatConflict(
  { folder: { path, displayPath } }: ValidFolder,
  { id, entryPath, others }: Identity & { kind: 'conflict' },
  index: Index,
  { command, formatFolder }: MatchOptions,
): { reason: string; hint: string } {
  const name = JSON.stringify(index.findById(id)?.name ?? '');
  const entryFolder = formatFolder(entryPath);
  const link = (other: string) => command('formula link', toPathArgument(other), id);
  const candidates = [path, ...others];
  if (!candidates.includes(entryPath)) {
    return {
      reason: `it may be the formula ${name} (${id}), whose folder ${entryFolder} no longer exists`,
      hint: `If the folder was moved, run: ${link(displayPath)}\nIf it is new, run: ${command('formula unlink', toPathArgument(entryFolder))}`,
    };
  }
  const moved = candidates.filter((one) => one !== entryPath).map(formatFolder);
  const isFree = index.findByName(index.findName(entryPath) ?? '').length === 0;
  const update = command('formula update', id, toPathArgument(entryFolder));
  return {
    reason: `the formula ${name} (${id}) may be ${entryFolder}, which now has another name, or ${moved.join(', ')}, which has its name`,
    hint: [
      `If it is ${moved[0]}, run: ${link(moved[0] ?? '')}`,
      `If it is ${entryFolder}, ${isFree ? `run: ${update}` : 'change its name, which another formula has'}`,
    ].join('\n'),
  };
}

/** Why a formula of this name cannot be created, and what to do. */
function findNameInUse(
  { folder, body: { name, type } }: ValidFolder,
  { remotes }: MatchFacts,
  index: Index,
  { command, formatFolder }: MatchOptions,
): Match['conflict'] {
  const official = type === 'official' && remotes.items.find((one) => one.type === 'official' && one.name === name);
  if (official) {
    return {
      reason: 'an official formula has this name already, and push does not match official formulas',
      hint: `To update it, run: ${command('formula update', official.id, toPathArgument(folder.displayPath))}`,
    };
  }
  // A formula that another folder of this plan renames does not count.
  const isRenamed = (remote: Formula) => index.listLinkedNames(remote).some((linkedName) => linkedName !== name);
  const owner = index.findByName(name).find((remote) => !isRenamed(remote));
  if (!owner) return undefined;
  const other = formatFolder(index.findOwner(owner) ?? '');
  return {
    reason: `the formula of this name (${owner.id}) is linked to ${other}`,
    hint: `Change the name in manifest.json.\nTo unlink the other folder, run: ${command('formula unlink', toPathArgument(other))}`,
  };
}

/** Why a formula cannot get the name of its folder. */
function findRenameConflict(
  { folder, body: { name } }: ValidFolder,
  remote: Formula,
  index: Index,
  { command, formatFolder }: MatchOptions,
): Match['conflict'] {
  if (remote.name === name) return undefined;
  const sameNamed = index.findByName(name).find((other) => index.listLinkedNames(other).length === 0);
  if (!sameNamed) return undefined;
  const reason = `the new name is in use by another formula (${sameNamed.id})`;
  const owner = index.findOwner(sameNamed);
  if (owner !== undefined) {
    return {
      reason: `${reason}, which is linked to ${formatFolder(owner)}`,
      hint: 'Change the name in one of the two manifests.',
    };
  }
  return {
    reason,
    hint: `To link the folder to it, run: ${command('formula link', toPathArgument(folder.displayPath), sameNamed.id)}\nTo delete it, run: ${command('formula delete', sameNamed.id)}`,
  };
}
