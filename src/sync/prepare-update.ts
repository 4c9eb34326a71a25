/** Prepares an update of one formula: finds the formula, merges the folder into it, and checks for remote changes. */
import type { ServiceClient } from '../api/client.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { createRestoreFinder } from '../state/history-entries.ts';
import { formatChangedReason } from '../state/remote-baseline.ts';
import { type CommandFormatter, toPathArgument } from '../text/shell-quote.ts';
import { type MergedUpdate, mergeFormula } from './merge-formula.ts';
import { formatConflictHint } from './push/conflict-hint.ts';
import { resolveUpdateTarget, type UpdateRequest } from './resolve-update-target.ts';
import { openFolderTracking, type Tracking } from './tracking.ts';

export interface UpdateOptions {
  removeIcon: boolean;
  force: boolean;
  /** Flags that an update to resolve a conflict needs too. */
  keptFlags: readonly string[];
}

interface UpdatePlan {
  remote: Formula;
  merge: MergedUpdate;
  tracking: Tracking;
}

/** Raises conflict (6) if the update would overwrite remote changes. */
export async function prepareUpdate(
  folder: UpdateRequest,
  { client, target }: { client: ServiceClient; target: TargetName },
  options: UpdateOptions,
  { host, note, warn }: { host: Host; note: (text: string) => void; warn: (text: string) => void },
): Promise<UpdatePlan> {
  const tracking = openFolderTracking(folder.path, target, host, warn);
  const remote = await resolveUpdateTarget(folder, client, tracking, host.cwd(), note);
  const merge = mergeFormula(folder.body, remote, options);
  for (const field of merge.preserved) note(`note: no local ${field}; keeping the remote one`);
  const isChanged = merge.changed.length > 0 && tracking.compare(folder.path, remote) === 'changed';
  if (isChanged && !options.force && !(await isAncestor(folder.path, remote, tracking, host))) {
    const reason = formatChangedReason(remote, createRestoreFinder(host)(remote));
    throw new CliError('conflict', `${JSON.stringify(remote.name)} was not updated: ${reason}`, {
      hint: formatHint(folder, { remote, merge, tracking }, options, client.command),
      details: { ids: [remote.id] },
    });
  }
  return { remote, merge, tracking };
}

function formatHint(
  { idOrName, dir, path, body }: UpdateRequest,
  { remote, merge, tracking }: UpdatePlan,
  options: UpdateOptions,
  command: CommandFormatter,
): string {
  const overwrite = [
    ...(idOrName === undefined ? [] : [remote.id]),
    toPathArgument(dir),
    ...(options.removeIcon ? ['--remove-icon'] : []),
    '--force',
    ...options.keptFlags,
  ];
  const folder = {
    displayPath: dir,
    path,
    name: body.name,
    linkedId: tracking.ids.get(path),
    isUnedited: tracking.isAtBaseline(path, body, remote),
    fields: merge.changed,
  };
  return formatConflictHint(folder, remote, command, command('formula update', ...overwrite));
}

/** Whether git shows that the remote version is an earlier version of the folder. */
async function isAncestor(path: string, remote: Formula, tracking: Tracking, host: Host): Promise<boolean> {
  const { findAncestors } = await import('./push/find-ancestors.ts');
  const listHashes = () => tracking.listBaselineHashes(path, remote);
  const search = { host, listHashes, target: tracking.target };
  return (await findAncestors([{ path, remote }], search)).matches.get(path) === 'same';
}

/** Links the folder to the formula; if the formula was an argument, existing links are not changed. */
export function recordUpdate({ idOrName, path }: UpdateRequest, formula: Formula, tracking: Tracking): void {
  tracking.recordBaseline(path, formula);
  const isUnlinked = tracking.ids.get(path) === undefined && tracking.findFolder(formula) === undefined;
  if (idOrName === undefined || (isUnlinked && formula.type !== 'official')) tracking.link(path, formula);
}
