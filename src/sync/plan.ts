/** What push would do, as values: folders, formulas of the service and the lock become steps. Pure. */
import { fieldsToChange, type Prints } from '../content.ts';
import { CliError } from '../errors.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { shellWord } from '../shell-word.ts';
import { isChangedSince, type Seen } from '../state/seen.ts';

/** A valid formula folder; its texts are read again when they are sent. */
export interface LocalFormula {
  /** As it was typed. */
  folder: string;
  /** Absolute and real. */
  path: string;
  name: string;
  type: FormulaBody['type'];
  prints: Prints;
}

/** What is known when a plan is made. */
export interface Situation {
  locals: readonly LocalFormula[];
  /** All formulas of the service. */
  remotes: readonly Formula[];
  /** Ids of the lock by folder. */
  ids: ReadonlyMap<string, string>;
  /** Folders of the lock that hold no formula any more. */
  gone: ReadonlySet<string>;
  seen: Seen;
}

export interface PlanOptions {
  /** Overwrite what others changed. */
  force: boolean;
  /** Whether a formula whose folder is gone is deleted. */
  prunes(path: string): boolean;
}

export interface Step {
  action: 'create' | 'update' | 'keep' | 'delete' | 'conflict';
  /** The folder's path for the lock. */
  path: string;
  local?: LocalFormula | undefined;
  remote?: Formula | undefined;
  /** Of an update: the fields that change. */
  fields: readonly (keyof FormulaBody)[];
  /** What the folder says nothing of, and the service keeps. */
  kept?: readonly ('icon' | 'description')[];
  /** Found by its name, and from now on in the lock. */
  adopted?: boolean;
  renamedFrom?: string;
  /** What is overwritten was never seen here, or was changed by others. */
  overwrites?: boolean;
  /** The id in the lock that is not there any more. */
  goneId?: string;
  /** Of a conflict: why, and what to do about it. */
  reason?: string;
}

export interface Plan {
  steps: readonly Step[];
  /** Folders whose entries in the lock mean nothing any more. */
  stale: readonly string[];
}

/**
 * Matches folders with formulas and says what is to be done: by the lock's id, else by the exact name. Official
 * formulas are never matched. Raises conflict (6) when the lock has ids and the service has none of them.
 */
export function planPush(situation: Situation, options: PlanOptions): Plan {
  const match = matcher(situation);
  if (!options.force) {
    refuseOtherTenant(situation.ids.values(), situation.remotes, 'finds formulas by name or creates them');
  }
  const steps = situation.locals.map((local) => stepOf(local, situation, match, options));
  const taken = new Set(steps.flatMap(({ action, remote }) => (action !== 'conflict' && remote ? [remote.id] : [])));
  const orphans = [...situation.ids].filter(([path]) => situation.gone.has(path));
  const deletions = orphans.flatMap(([path, id]): Step[] => {
    const remote = match.byId(id);
    return remote && options.prunes(path) && !taken.has(remote.id) ? [deletion(path, remote, situation, options)] : [];
  });
  const stale = orphans.filter(([path, id]) => {
    const remote = match.byId(id);
    return remote ? taken.has(remote.id) : options.prunes(path);
  });
  return { steps: [...steps, ...deletions], stale: stale.map(([path]) => path) };
}

/** Folders of one name or one id: each, and what it shares with which others. */
export function findClashes(
  locals: readonly Pick<LocalFormula, 'folder' | 'path' | 'name'>[],
  ids: ReadonlyMap<string, string>,
): Map<string, string> {
  const clashes = new Map<string, string>();
  const find = (what: string, keyOf: (local: (typeof locals)[number]) => string | undefined) => {
    const byKey = new Map<string, string[]>();
    for (const local of locals) {
      const key = keyOf(local);
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), local.folder]);
    }
    for (const [key, folders] of byKey) {
      if (folders.length < 2) continue;
      for (const folder of folders) {
        const others = folders.filter((other) => other !== folder).join(', ');
        clashes.set(folder, `${folder} has the same ${what} as ${others}: ${JSON.stringify(key)}`);
      }
    }
  };
  find('id in the lock', ({ path }) => ids.get(path)?.toLowerCase());
  find('name', ({ name }) => name);
  return clashes;
}

interface Matcher {
  /** The private formula of an id. */
  byId(id: string): Formula | undefined;
  /** All private formulas of an exact name. */
  byName(name: string): readonly Formula[];
  /** The folder that a formula is linked to and that is still there. */
  ownerOf(remote: Formula): string | undefined;
}

function matcher({ remotes, ids, gone }: Situation): Matcher {
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

/**
 * Raises conflict (6) when the lock has ids and the service, whose formulas are `remotes`, has none of them as a
 * private one. `forced` says what --force would do.
 */
export function refuseOtherTenant(ids: Iterable<string>, remotes: readonly Formula[], forced: string): void {
  const named = new Set([...ids].map((id) => id.toLowerCase()));
  const isThere = remotes.some(({ id, type }) => type !== 'official' && named.has(id.toLowerCase()));
  if (named.size === 0 || isThere) return;
  const formulas = named.size === 1 ? 'has not the one formula' : `has none of the ${named.size} formulas`;
  throw new CliError('conflict', `the service ${formulas} that the lock names: another tenant?`, {
    hint: `check the address, the key and --target; --force goes on, and ${forced}`,
  });
}

function stepOf(local: LocalFormula, situation: Situation, match: Matcher, options: PlanOptions): Step {
  const { path } = local;
  const id = situation.ids.get(path);
  const linked = id === undefined ? undefined : match.byId(id);
  if (linked) return matched({ path, local, remote: linked }, situation, match, options);
  const goneId = id === undefined ? {} : { goneId: id };
  const free = match.byName(local.name).filter((remote) => (match.ownerOf(remote) ?? path) === path);
  const [remote, ...more] = free;
  if (more.length > 0) {
    const several = free.map((one) => one.id).join(', ');
    return {
      action: 'conflict',
      path,
      local,
      fields: [],
      ...goneId,
      reason: `${free.length} formulas have this name (${several}): say which one it is with formulary formula link DIR ID`,
    };
  }
  if (remote) return { ...matched({ path, local, remote }, situation, match, options), adopted: true, ...goneId };
  const reason = takenReason(local, situation, match);
  if (reason !== undefined) return { action: 'conflict', path, local, fields: [], ...goneId, reason };
  return { action: 'create', path, local, fields: [], ...goneId };
}

/** Why a name that no free formula has cannot be created. */
function takenReason({ name, type }: LocalFormula, { remotes, locals, ids }: Situation, match: Matcher) {
  if (type === 'official' && remotes.some((remote) => remote.type === 'official' && remote.name === name)) {
    return 'an official formula has this name already, and official formulas are never matched: update it by its id';
  }
  // A formula that another folder of this plan renames away leaves its name.
  const renamed = new Set(
    locals.filter((other) => other.name !== name).map(({ path }) => ids.get(path)?.toLowerCase()),
  );
  const holder = match.byName(name).find((remote) => !renamed.has(remote.id.toLowerCase()));
  return (
    holder &&
    `the formula of this name (${holder.id}) is linked to ${match.ownerOf(holder)}: unlink one of the two folders`
  );
}

function matched(
  pair: { path: string; local: LocalFormula; remote: Formula },
  situation: Situation,
  match: Matcher,
  options: PlanOptions,
): Step {
  const { local, remote } = pair;
  const fields = fieldsToChange(local.prints, remote);
  if (fields.length === 0) return { action: 'keep', ...pair, fields };
  const isRenamed = fields.includes('name');
  const kept = (['icon', 'description'] as const).filter((field) => local.prints[field] === undefined && remote[field]);
  const reason = conflictReason(pair, isRenamed, situation, match, options);
  return {
    action: reason === undefined ? 'update' : 'conflict',
    ...pair,
    fields,
    ...(kept.length > 0 && { kept }),
    ...(isRenamed && { renamedFrom: remote.name }),
    ...((!situation.seen.has(remote.id.toLowerCase()) || isChangedSince(situation.seen, remote)) && {
      overwrites: true,
    }),
    ...(reason !== undefined && { reason }),
  };
}

function conflictReason(
  { local, remote }: { local: LocalFormula; remote: Formula },
  isRenamed: boolean,
  situation: Situation,
  match: Matcher,
  { force }: PlanOptions,
): string | undefined {
  if (!force && isChangedSince(situation.seen, remote)) return changedReason(remote);
  const matchedIds = new Set(situation.locals.map(({ path }) => situation.ids.get(path)?.toLowerCase()));
  const namesake = isRenamed && match.byName(local.name).find(({ id }) => !matchedIds.has(id.toLowerCase()));
  return namesake
    ? `the new name is that of another formula (${namesake.id}): delete that one, or link the folder to it`
    : undefined;
}

/** That others changed a formula since it was seen here, and what to do about it. */
export function changedReason({ id, modified_at: at, modified_by: by }: Formula): string {
  const when = [at && `at ${at}`, by && `by ${by}`].filter(Boolean).join(' ');
  return `it was changed on the service since it was last seen here${when && ` (${when})`}: formulary formula pull ${shellWord(id)} brings the change, --force overwrites it`;
}

function deletion(path: string, remote: Formula, { seen }: Situation, options: PlanOptions): Step {
  const isChanged = isChangedSince(seen, remote);
  if (isChanged && !options.force)
    return { action: 'conflict', path, remote, fields: [], reason: changedReason(remote) };
  return { action: 'delete', path, remote, fields: [], ...(isChanged && { overwrites: true }) };
}
