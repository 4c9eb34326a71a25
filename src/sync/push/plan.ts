/** What push would do, as values: folders, formulas of the service and the lock become steps. Pure. */

import type { LocalFormula } from '../../check/local-formula.ts';
import { CliError } from '../../errors.ts';
import { fieldsToChange, hasField, saysOf } from '../../formula-content.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { changedReason, isChangedSince, type Seen } from '../../state/remote-baseline.ts';
import { type CommandLine, pathArgument } from '../../text/shell-quote.ts';
import { type Matcher, matcher } from './match.ts';
import { refuseOtherTenant } from './tenant-guard.ts';

/** What is known when a plan is made. */
export interface Situation {
  locals: readonly LocalFormula[];
  /** All formulas of the service, as far as it shows them. */
  remotes: readonly Formula[];
  doubts: Doubts;
  /** Ids of the lock by folder. */
  ids: ReadonlyMap<string, string>;
  /** The files of the lock. */
  lockFiles: readonly string[];
  /** Folders of the lock that hold no formula any more. */
  gone: ReadonlySet<string>;
  /** Folders of the lock that exist without a manifest. */
  incomplete?: ReadonlySet<string>;
  seen: Seen;
}

/** What an incomplete list leaves open, and why. */
export interface Doubts {
  /** Ids, in small letters, that the service may have. */
  ids: ReadonlyMap<string, string>;
  /** Names that more formulas may have than are known. */
  names: ReadonlyMap<string, string>;
}

export interface PlanOptions {
  /** Overwrite what others changed. */
  force: boolean;
  /** Whether a formula whose folder is gone is deleted. */
  prunes(path: string): boolean;
  /** A command to type, such as `formula list`, that asks the same service. */
  command: CommandLine;
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
  /** It is one only since the service does not show enough to decide. */
  isOpen?: boolean;
}

export interface Plan {
  steps: readonly Step[];
  /** Folders whose entries in the lock mean nothing any more. */
  stale: readonly string[];
}

/**
 * Matches folders with formulas and says what is to be done: by the lock's id, else by the exact name. Official
 * formulas are never matched. What the service does not show enough for is left alone. Raises conflict (6) when the lock
 * has ids and the service has none of them, unavailable (8) when that is open, invalid (3) when the formula of a folder
 * that exists without a manifest would be deleted.
 */
export function planPush(situation: Situation, options: PlanOptions): Plan {
  const { remotes, doubts } = situation;
  const match = matcher(situation);
  if (!options.force) {
    const looked = { formulas: remotes, doubts: doubts.ids };
    const locked = { ids: situation.ids.values(), files: situation.lockFiles };
    refuseOtherTenant(locked, looked, 'finds formulas by name or creates them', options.command);
  }
  const steps = situation.locals.map((local) => stepOf(local, situation, match, options));
  const taken = new Set(steps.flatMap(({ action, remote }) => (action !== 'conflict' && remote ? [remote.id] : [])));
  // One of these may be the formula of a folder that was moved and that is left alone.
  const spared = new Set(steps.flatMap(({ isOpen, local }) => (isOpen && local ? [local.name] : [])));
  for (const [path, id] of situation.ids) {
    const remote = situation.incomplete?.has(path) && options.prunes(path) ? match.byId(id) : undefined;
    if (remote && !taken.has(remote.id)) throw incompleteError(path, remote);
  }
  const orphans = [...situation.ids].filter(([path]) => situation.gone.has(path));
  const deletions = orphans.flatMap(([path, id]): Step[] => {
    if (!options.prunes(path)) return [];
    const doubt = doubts.ids.get(id.toLowerCase());
    if (doubt !== undefined) return [openStep({ path, remote: { id, name: '' } }, openWords.id(id, doubt))];
    const remote = match.byId(id);
    if (!remote || taken.has(remote.id) || spared.has(remote.name)) return [];
    return [deletion(path, remote, situation, options)];
  });
  const stale = orphans.filter(([path, id]) => {
    const remote = match.byId(id);
    return remote ? taken.has(remote.id) : options.prunes(path) && !doubts.ids.has(id.toLowerCase());
  });
  return { steps: [...steps, ...deletions], stale: stale.map(([path]) => path) };
}

const incompleteError = (path: string, { id, name }: Formula) =>
  new CliError(
    'invalid',
    `${path} exists but has no manifest.json, so its formula ${JSON.stringify(name)} (${id}) was not deleted`,
    { hint: 'Restore manifest.json, or delete the folder to delete the formula.' },
  );

function stepOf(local: LocalFormula, situation: Situation, match: Matcher, options: PlanOptions): Step {
  const { path } = local;
  const id = situation.ids.get(path);
  const linked = id === undefined ? undefined : match.byId(id);
  if (linked) return matched({ path, local, remote: linked }, situation, match, options);
  const { ids, names } = situation.doubts;
  const idDoubt = id === undefined ? undefined : ids.get(id.toLowerCase());
  if (id !== undefined && idDoubt !== undefined) return openStep({ path, local }, openWords.id(id, idDoubt));
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
      reason: `${free.length} formulas have this name (${several}): say which one it is with ${options.command('formula link', pathArgument(local.folder), 'ID')}`,
    };
  }
  const nameDoubt = names.get(local.name);
  if (nameDoubt !== undefined) return openStep({ path, local }, openWords.name(nameDoubt));
  if (remote) return { ...matched({ path, local, remote }, situation, match, options), adopted: true, ...goneId };
  const reason = takenReason(local, situation, match);
  if (reason !== undefined) return { action: 'conflict', path, local, fields: [], ...goneId, reason };
  return { action: 'create', path, local, fields: [], ...goneId };
}

/** What is left alone since the service does not show enough to decide. */
const openStep = (parts: Pick<Step, 'path' | 'local' | 'remote'>, reason: string): Step => ({
  action: 'conflict',
  ...parts,
  fields: [],
  reason,
  isOpen: true,
});

const openWords = {
  id: (id: string, doubt: string) => `it is open whether the formula ${id} of the lock is still there: ${doubt}`,
  name: (doubt: string) =>
    `it is open which formulas have this name: ${doubt}; formulary formula link DIR ID says which one a folder is`,
};

/** Why a name that no free formula has cannot be created. */
function takenReason({ name, type }: LocalFormula, { remotes }: Situation, match: Matcher) {
  if (type === 'official' && remotes.some((remote) => remote.type === 'official' && remote.name === name)) {
    return 'an official formula has this name already, and official formulas are never matched: update it by its id';
  }
  // A formula that another folder of this plan renames away leaves its name.
  const isRenamed = (remote: Formula) => match.wantedNames(remote).some((wanted) => wanted !== name);
  const holder = match.byName(name).find((remote) => !isRenamed(remote));
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
  const fields = fieldsToChange(local, remote);
  if (fields.length === 0) return { action: 'keep', ...pair, fields };
  const isRenamed = fields.includes('name');
  const kept = (['icon', 'description'] as const).filter((field) => !saysOf(local, field) && hasField(remote, field));
  const known = conflictReason(pair, isRenamed, situation, match, options);
  const doubt = known === undefined && isRenamed ? situation.doubts.names.get(local.name) : undefined;
  const reason = doubt === undefined ? known : openWords.name(doubt);
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
    ...(doubt !== undefined && { isOpen: true }),
  };
}

function conflictReason(
  { local, remote }: { local: LocalFormula; remote: Formula },
  isRenamed: boolean,
  situation: Situation,
  match: Matcher,
  { force, command }: PlanOptions,
): string | undefined {
  if (!force && isChangedSince(situation.seen, remote)) return changedReason(remote, command);
  const namesake = isRenamed && match.byName(local.name).find((other) => match.wantedNames(other).length === 0);
  return namesake
    ? `the new name is that of another formula (${namesake.id}): delete that one, or link the folder to it with ${command('formula link', pathArgument(local.folder), namesake.id)}`
    : undefined;
}

function deletion(path: string, remote: Formula, { seen }: Situation, options: PlanOptions): Step {
  const isChanged = isChangedSince(seen, remote);
  if (isChanged && !options.force)
    return { action: 'conflict', path, remote, fields: [], reason: changedReason(remote, options.command) };
  return { action: 'delete', path, remote, fields: [], ...(isChanged && { overwrites: true }) };
}
