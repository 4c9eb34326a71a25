/** The private formulas on the service that match no folder, for diff --unmanaged. */
import type { Folder } from '../../folder/find-folders.ts';
import { readManifestName } from '../../folder/manifest.ts';
import type { UnmanagedStep } from './plan.ts';
import type { PushPlan } from './plan-push.ts';

/** `folders` are all folders in the paths, also those that were left out: they match by lock entry, otherwise by name. */
export function findUnmanaged(
  { steps, remotes, ids }: Pick<PushPlan, 'steps' | 'remotes' | 'ids'>,
  folders: readonly Folder[],
): UnmanagedStep[] {
  const matched = new Set(steps.flatMap(({ remote }) => (remote ? [remote.id.toLowerCase()] : [])));
  const planned = new Set(steps.map(({ folder }) => folder.path));
  const names = new Set<string | undefined>();
  for (const { path } of folders) {
    const id = ids.get(path)?.toLowerCase();
    if (id !== undefined) matched.add(id);
    else if (!planned.has(path)) names.add(readManifestName(path));
  }
  // A conflict about a name has no single formula.
  for (const { action, name, remote } of steps) if (action === 'conflict' && !remote) names.add(name);
  return remotes
    .filter(({ id, name, type }) => type !== 'official' && !matched.has(id.toLowerCase()) && !names.has(name))
    .map((remote) => ({ action: 'unmanaged', name: remote.name, remote, fields: [] }));
}
