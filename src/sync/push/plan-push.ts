/** Plans a push: compares folders, remote formulas, and links, and returns steps. Pure. */
import { CliError } from '../../errors.ts';
import type { Formula } from '../../model.ts';
import { formatChangedReason } from '../../state/remote-baseline.ts';
import { createMatcher } from './match.ts';
import type { Plan, PlanInput, PlanOptions, Step } from './plan.ts';
import { assertComplete, planFolder } from './plan-folder.ts';
import { assertSameTenant } from './tenant-guard.ts';

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
  const orphans = [...input.ids].filter(([path]) => input.missingFolders.has(path));
  const movedFrom = new Map(orphans.map(([path, id]) => [id.toLowerCase(), path]));
  const steps = input.locals
    .map((local) => planFolder(local, input, matcher, options))
    .map((step): Step => {
      const from = step.action === 'conflict' ? undefined : movedFrom.get(step.remote?.id.toLowerCase() ?? '');
      return from === undefined
        ? step
        : { ...step, movedFrom: { path: from, displayPath: options.formatFolder(from) } };
    });
  const matchedIds = new Set(
    steps.flatMap(({ action, remote }) => (action !== 'conflict' && remote ? [remote.id] : [])),
  );
  for (const [path, id] of input.ids) {
    const remote =
      input.foldersWithoutManifest?.has(path) && options.shouldPrune(path) ? matcher.findById(id) : undefined;
    if (remote && !matchedIds.has(remote.id)) throw missingManifestError(path, remote);
  }
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
