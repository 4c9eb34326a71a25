/** Decides what to do with each folder and each lock entry without a folder. Pure. */
import { CliError } from '../../errors.ts';
import { fieldsToChange } from '../../formula-fields.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { formatChangedReason, type RemoteState } from '../../state/remote-baseline.ts';
import { toPathArgument } from '../../text/shell-quote.ts';
import { findPrunable, type Prunable } from '../identity.ts';
import { listPreserved } from '../merge-formula.ts';
import { findBreakingChanges } from './breaking-changes.ts';
import { formatConflictHint } from './conflict-hint.ts';
import { assertComplete, indexById, type Match, type MatchFacts, type MatchOptions } from './match-folders.ts';
import type { Step } from './plan.ts';
import type { VersionPlace } from './visit-versions.ts';

export interface PlanFacts extends MatchFacts {
  /** Folders of lock entries that exist without a manifest. */
  foldersWithoutManifest?: ReadonlySet<string>;
  /** The commits of folders whose remote version is older than what they last had in common with it. */
  rollbacks?: ReadonlyMap<string, VersionPlace> | undefined;
  /** Whether the formula of a missing folder is deleted. */
  shouldPrune(path: string): boolean;
}

export interface StepOptions extends MatchOptions {
  /** The reference of --since, whose versions take the place of the baselines. */
  since?: string | undefined;
  /** The reference of --at. */
  at?: string | undefined;
  /** Whether a folder was not edited since the last push or pull. */
  isAtBaseline?: ((path: string, body: FormulaBody, remote: Formula) => boolean) | undefined;
  /** Flags of this command that a push to resolve a conflict needs too. */
  keptFlags?: readonly string[];
  /** Whether `restore` on this computer wrote the remote version. */
  isRestored?: (remote: Formula) => boolean;
}

/** A folder (absolute and real) and the remote formula that its step would replace or delete. */
export interface FolderPair {
  path: string;
  /** Of a folder that was moved. */
  formerPath?: string | undefined;
  remote: Formula;
}

/** Whether others changed the remote formula of a folder. */
export type CompareRemote = (path: string, remote: Formula) => RemoteState;

export interface Decisions {
  matches: readonly Match[];
  /** The lock entries whose formulas --prune deletes. */
  deletions: readonly FolderPair[];
  /** The others, whose formulas a folder is, may be, or is named like. */
  kept: Prunable['kept'];
  /** Folders whose lock entries are obsolete. */
  staleFolders: readonly string[];
}

/**
 * Raises unavailable (8) if an incomplete list is not sufficient, invalid (3) if the formula of a folder that exists
 * without a manifest would be deleted.
 */
export function findDeletions(matches: readonly Match[], facts: PlanFacts, options: MatchOptions): Decisions {
  const byId = indexById(facts.remotes.items);
  const findRemote = (id: string) => byId.get(id.toLowerCase());
  const matchedIds = new Set(matches.flatMap(({ remote, conflict }) => (remote && !conflict ? [remote.id] : [])));
  for (const [path, id] of facts.ids) {
    const remote = facts.foldersWithoutManifest?.has(path) && facts.shouldPrune(path) ? findRemote(id) : undefined;
    if (remote && !matchedIds.has(remote.id)) throw missingManifestError(options.formatFolder(path), remote);
  }
  const entries = [...facts.ids].map(([path, id]) => ({ path, id, isGone: facts.missingFolders.has(path) }));
  for (const { id, path, isGone } of entries)
    if (isGone && facts.shouldPrune(path) && !findRemote(id))
      assertComplete(facts, `whether the formula ${id} of ${path} still exists`, options);
  const { identities, manifests, shouldPrune } = facts;
  const prunable = findPrunable({
    entries,
    remotes: [...byId.values()],
    identities,
    manifests,
    isInScope: shouldPrune,
  });
  const unreadable = manifests.find(({ name }) => name === undefined);
  if (prunable.deleted.length > 0 && unreadable) throw unreadableManifestError(options.formatFolder(unreadable.path));
  const isStale = ({ path, id }: { path: string; id: string }) => {
    const remote = findRemote(id);
    return remote ? matchedIds.has(remote.id) : facts.shouldPrune(path);
  };
  return {
    matches,
    deletions: prunable.deleted.flatMap(({ path, id }) => {
      const remote = findRemote(id);
      return remote ? [{ path, remote }] : [];
    }),
    kept: prunable.kept,
    staleFolders: entries.filter((entry) => entry.isGone && isStale(entry)).map(({ path }) => path),
  };
}

const unreadableManifestError = (folder: string) =>
  new CliError(
    'invalid',
    `the manifest.json of ${folder} cannot be read, so no formula was deleted: it may be of one`,
    {
      hint: 'Fix the manifest, or delete its folder. If a sparse checkout skips it, add it to the checkout.',
    },
  );

const missingManifestError = (folder: string, { id, name }: Formula) =>
  new CliError(
    'invalid',
    `${folder} exists but has no manifest.json, so its formula ${JSON.stringify(name)} (${id}) was not deleted`,
    { hint: 'Restore manifest.json, or delete the folder to delete the formula.' },
  );

/** The formulas that an update would replace. */
export const listReplaced = (matches: readonly Match[]): FolderPair[] =>
  matches.flatMap(({ folder, remote, movedFrom }) =>
    remote && fieldsToChange(folder.body, remote).length > 0
      ? [{ path: folder.folder.path, formerPath: movedFrom, remote }]
      : [],
  );

/** The steps of the folders, then the deletions. Raises unavailable (8) as above. */
export const planSteps = (
  { matches, deletions }: Decisions,
  facts: PlanFacts,
  compare: CompareRemote,
  options: StepOptions,
): Step[] => [
  ...matches.map((match) => planFolder(match, facts, compare, options)),
  ...deletions.map((pair) => planDeletion(pair, compare, options)),
];

const toBase = ({ folder: { folder, body }, adopted, movedFrom, missingId }: Match, options: StepOptions) => ({
  folder,
  name: body.name,
  body,
  ...(adopted && { adopted }),
  ...(movedFrom !== undefined && { movedFrom: toFolder(movedFrom, options) }),
  ...(missingId !== undefined && { missingId }),
});

function planFolder(match: Match, facts: PlanFacts, compare: CompareRemote, options: StepOptions): Step {
  const { folder, remote, conflict } = match;
  const { body } = folder;
  const base = toBase(match, options);
  if (!remote)
    return { ...base, fields: [], ...(conflict ? { action: 'conflict', ...conflict } : { action: 'create' }) };
  const fields = fieldsToChange(body, remote);
  if (fields.length === 0) return { ...base, action: 'keep', remote, fields };
  const state = compare(folder.folder.path, remote);
  const isChanged = state === 'changed' && !options.force;
  // --force does not resolve the other conflicts.
  const found = conflict ?? (isChanged ? changedConflict(match, remote, fields, facts, options) : undefined);
  const isRenamed = fields.includes('name');
  if (!found && isRenamed)
    assertComplete(facts, `whether the new name of ${folder.folder.displayPath} is in use`, options);
  const preserved = listPreserved(body, remote);
  return {
    ...base,
    action: found ? 'conflict' : 'update',
    remote,
    fields,
    ...(preserved.length > 0 && { preserved }),
    ...(isRenamed && { renamedFrom: remote.name }),
    ...(state !== 'same' && { overwrites: true }),
    ...(found ?? markBreaking(remote, body)),
  };
}

function markBreaking(remote: Formula, body: FormulaBody): Pick<Step, 'breaking'> {
  const breaking = findBreakingChanges(remote, body);
  return breaking.length > 0 ? { breaking } : {};
}

function changedConflict(
  { folder: { folder, body } }: Match,
  remote: Formula,
  fields: Step['fields'],
  { ids, rollbacks }: PlanFacts,
  { command, keptFlags = [], since, at, isRestored = () => false, isAtBaseline }: StepOptions,
) {
  const isUnedited = isAtBaseline?.(folder.path, body, remote) ?? false;
  const local = { ...folder, name: body.name, linkedId: ids.get(folder.path), isUnedited, fields, at };
  const overwrite = command('formula push', toPathArgument(folder.displayPath), '--force', ...keptFlags);
  const hint = formatConflictHint(local, remote, command, overwrite);
  const rollback = rollbacks?.get(folder.path);
  const version = rollback ? `; it is the version of ${rollback.commit.slice(0, 7)}, ${rollback.behind} behind` : '';
  return { reason: formatChangedReason(remote, isRestored(remote), since) + version, hint };
}

function planDeletion({ path, remote }: FolderPair, compare: CompareRemote, options: StepOptions): Step {
  const base = { folder: toFolder(path, options), name: remote.name, remote, fields: [] };
  const state = compare(path, remote);
  const isChanged = state === 'changed';
  if (isChanged && !options.force) {
    const hint = `To see it, run: ${options.command('formula get', remote.id)}\nTo delete it, add --force to formula push --prune.`;
    const reason = formatChangedReason(remote, options.isRestored?.(remote) ?? false, options.since);
    return { ...base, action: 'conflict', overwrites: true, reason, hint };
  }
  const isUnverified = state === 'unknown' && options.since !== undefined;
  return { ...base, action: 'delete', ...((isChanged || isUnverified) && { overwrites: true }) };
}

const toFolder = (path: string, { formatFolder }: MatchOptions) => ({ path, displayPath: formatFolder(path) });
