/** Plans a push: compares folders, remote formulas, and links, and returns steps. Pure. */

import type { ListResult } from '../../api/pagination.ts';
import type { LocalFormula } from '../../check/local-formula.ts';
import { CliError } from '../../errors.ts';
import { fieldsToChange } from '../../formula-content.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { formatChangedReason, type RemoteState } from '../../state/remote-baseline.ts';
import { type CommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import { listPreserved } from '../merge.ts';
import { formatConflictHint } from './conflict-hint.ts';
import { createMatcher, type Matcher } from './match.ts';
import { assertSameTenant } from './tenant-guard.ts';

/** The facts that a plan is based on. */
export interface PlanInput {
  locals: readonly LocalFormula[];
  /** All formulas of the service; the list may be incomplete. */
  remotes: ListResult<Formula>;
  /** The linked ids, by folder. */
  ids: ReadonlyMap<string, string>;
  /** The lock files. */
  lockFiles: readonly string[];
  /** Linked folders that no longer contain a formula. */
  missingFolders: ReadonlySet<string>;
  /** Linked folders that exist without a manifest. */
  foldersWithoutManifest?: ReadonlySet<string>;
  /** Whether others changed the remote formula of a folder. */
  compare(path: string, remote: Formula): RemoteState;
}

export interface PlanOptions {
  /** Overwrite changes by others. */
  force: boolean;
  /** The reference of --since, whose versions take the place of the baselines. */
  since?: string | undefined;
  /** Whether the formula of a missing folder is deleted. */
  shouldPrune(path: string): boolean;
  /** Formats a command, such as `formula list`, for the same service. */
  command: CommandFormatter;
  /** Flags of this command that a push to resolve a conflict needs too. */
  keptFlags?: readonly string[];
}

export interface Step {
  action: 'create' | 'update' | 'keep' | 'delete' | 'conflict';
  /** The absolute and real path of the folder. */
  path: string;
  local?: LocalFormula | undefined;
  remote?: Formula | undefined;
  /** The fields that an update changes. */
  fields: readonly (keyof FormulaBody)[];
  /** The remote fields that the folder does not set. */
  preserved?: readonly ('icon' | 'description')[];
  /** Found by its name; will be linked. */
  adopted?: boolean;
  renamedFrom?: string;
  /** The remote version is not known to be an earlier version of the folder. */
  overwrites?: boolean;
  /** The linked id, if it no longer exists. */
  missingId?: string;
  /** The reason of a conflict. */
  reason?: string;
  /** The commands that resolve a conflict. */
  hint?: string;
}

export interface Plan {
  steps: readonly Step[];
  /** Folders whose links are obsolete. */
  staleFolders: readonly string[];
}

/**
 * Matches folders with formulas, by their links, otherwise by the exact name; official formulas are never matched. Raises
 * conflict (6) if the service has none of the linked ids, unavailable (8) if a step depends on the missing part of an
 * incomplete list, invalid (3) if the formula of a folder that exists without a manifest would be deleted.
 */
export function planPush(input: PlanInput, options: PlanOptions): Plan {
  const matcher = createMatcher({ ...input, remotes: input.remotes.items });
  if (!options.force) {
    const lockedIds = { ids: input.ids.values(), files: input.lockFiles };
    assertSameTenant(lockedIds, input.remotes, 'finds formulas by name or creates them', options.command);
  }
  const steps = input.locals.map((local) => planStep(local, input, matcher, options));
  const matchedIds = new Set(
    steps.flatMap(({ action, remote }) => (action !== 'conflict' && remote ? [remote.id] : [])),
  );
  for (const [path, id] of input.ids) {
    const remote =
      input.foldersWithoutManifest?.has(path) && options.shouldPrune(path) ? matcher.findById(id) : undefined;
    if (remote && !matchedIds.has(remote.id)) throw missingManifestError(path, remote);
  }
  const orphans = [...input.ids].filter(([path]) => input.missingFolders.has(path));
  const deletions = orphans.flatMap(([path, id]): Step[] => {
    if (!options.shouldPrune(path)) return [];
    const remote = matcher.findById(id);
    if (!remote) assertComplete(input, `whether the formula ${id} of ${path} still exists`, options);
    if (!remote || matchedIds.has(remote.id)) return [];
    return [planDeletion(path, remote, input, options)];
  });
  const staleFolders = orphans.filter(([path, id]) => {
    const remote = matcher.findById(id);
    return remote ? matchedIds.has(remote.id) : options.shouldPrune(path);
  });
  return { steps: [...steps, ...deletions], staleFolders: staleFolders.map(([path]) => path) };
}

const missingManifestError = (path: string, { id, name }: Formula) =>
  new CliError(
    'invalid',
    `${path} exists but has no manifest.json, so its formula ${JSON.stringify(name)} (${id}) was not deleted`,
    { hint: 'Restore manifest.json, or delete the folder to delete the formula.' },
  );

function planStep(local: LocalFormula, input: PlanInput, matcher: Matcher, options: PlanOptions): Step {
  const { path } = local;
  const id = input.ids.get(path);
  const linked = id === undefined ? undefined : matcher.findById(id);
  if (linked) return planUpdate({ path, local, remote: linked }, input, matcher, options);
  const missingId = id === undefined ? {} : { missingId: id };
  const candidates = matcher.findByName(local.name).filter((remote) => (matcher.findOwner(remote) ?? path) === path);
  const [remote, ...more] = candidates;
  if (more.length > 0) {
    const several = candidates.map((one) => one.id).join(', ');
    return {
      action: 'conflict',
      path,
      local,
      fields: [],
      ...missingId,
      reason: `${candidates.length} formulas have this name (${several})`,
      hint: `To link the folder to one of them, run: ${options.command('formula link', toPathArgument(local.folder), 'ID')}`,
    };
  }
  assertComplete(input, `which formula ${local.folder} is`, options);
  if (remote) return { ...planUpdate({ path, local, remote }, input, matcher, options), adopted: true, ...missingId };
  const conflict = findNameInUse(local, input, matcher, options);
  if (conflict) return { action: 'conflict', path, local, fields: [], ...missingId, ...conflict };
  return { action: 'create', path, local, fields: [], ...missingId };
}

/** Raises unavailable (8) for an incomplete list, which proves no absence. `question` follows "could not tell". */
function assertComplete({ remotes }: PlanInput, question: string, { command }: PlanOptions): void {
  if (remotes.incompleteReason === undefined) return;
  throw new CliError('unavailable', `could not tell ${question}: ${remotes.incompleteReason}`, {
    hint: `To set which formula a folder is, run: ${command('formula link', 'DIR', 'ID')}`,
  });
}

/** Why a formula of this name cannot be created, and what to do. */
function findNameInUse(
  { name, type, folder }: LocalFormula,
  { remotes }: PlanInput,
  matcher: Matcher,
  { command }: PlanOptions,
): Pick<Step, 'reason' | 'hint'> | undefined {
  const official = type === 'official' && remotes.items.find((one) => one.type === 'official' && one.name === name);
  if (official) {
    return {
      reason: 'an official formula has this name already, and push does not match official formulas',
      hint: `To update it, run: ${command('formula update', official.id, toPathArgument(folder))}`,
    };
  }
  // A formula that another folder of this plan renames does not count.
  const isRenamed = (remote: Formula) => matcher.listLinkedNames(remote).some((wanted) => wanted !== name);
  const owner = matcher.findByName(name).find((remote) => !isRenamed(remote));
  if (!owner) return undefined;
  const other = matcher.findOwner(owner) ?? '';
  return {
    reason: `the formula of this name (${owner.id}) is linked to ${other}`,
    hint: `Change the name in manifest.json.\nTo unlink the other folder, run: ${command('formula unlink', toPathArgument(other))}`,
  };
}

function planUpdate(
  pair: { path: string; local: LocalFormula; remote: Formula },
  input: PlanInput,
  matcher: Matcher,
  options: PlanOptions,
): Step {
  const { local, remote } = pair;
  const fields = fieldsToChange(local, remote);
  if (fields.length === 0) return { action: 'keep', ...pair, fields };
  const isRenamed = fields.includes('name');
  const preserved = listPreserved(local, remote);
  const state = input.compare(pair.path, remote);
  const conflict: Pick<Step, 'reason' | 'hint'> | undefined =
    state === 'changed' && !options.force
      ? { reason: formatChangedReason(remote, options.since), hint: formatHint(pair, fields, input, options) }
      : findNameConflict(pair, isRenamed, matcher, options);
  if (!conflict && isRenamed) {
    assertComplete(input, `whether the new name of ${local.folder} is in use`, options);
  }
  return {
    action: conflict ? 'conflict' : 'update',
    ...pair,
    fields,
    ...(preserved.length > 0 && { preserved }),
    ...(isRenamed && { renamedFrom: remote.name }),
    ...(state !== 'same' && { overwrites: true }),
    ...conflict,
  };
}

function formatHint(
  { path, local, remote }: { path: string; local: LocalFormula; remote: Formula },
  fields: Step['fields'],
  { ids }: PlanInput,
  { command, keptFlags = [] }: PlanOptions,
): string {
  const folder = { folder: local.folder, path, name: local.name, linkedId: ids.get(path), fields };
  const overwrite = command('formula push', toPathArgument(local.folder), '--force', ...keptFlags);
  return formatConflictHint(folder, remote, command, overwrite);
}

function findNameConflict(
  { local }: { local: LocalFormula },
  isRenamed: boolean,
  matcher: Matcher,
  { command }: PlanOptions,
): Pick<Step, 'reason' | 'hint'> | undefined {
  const sameNamed =
    isRenamed && matcher.findByName(local.name).find((other) => matcher.listLinkedNames(other).length === 0);
  if (!sameNamed) return undefined;
  return {
    reason: `the new name is in use by another formula (${sameNamed.id})`,
    hint: `To link the folder to it, run: ${command('formula link', toPathArgument(local.folder), sameNamed.id)}\nTo delete it, run: ${command('formula delete', sameNamed.id)}`,
  };
}

function planDeletion(path: string, remote: Formula, input: PlanInput, options: PlanOptions): Step {
  const state = input.compare(path, remote);
  const isChanged = state === 'changed';
  const isUnverified = state === 'unknown' && options.since !== undefined;
  if (isChanged && !options.force) {
    const hint = `To see it, run: ${options.command('formula get', remote.id)}\nTo delete it, add --force to formula push --prune.`;
    return {
      action: 'conflict',
      path,
      remote,
      fields: [],
      overwrites: true,
      reason: formatChangedReason(remote, options.since),
      hint,
    };
  }
  return { action: 'delete', path, remote, fields: [], ...((isChanged || isUnverified) && { overwrites: true }) };
}
