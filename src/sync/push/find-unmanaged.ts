/** The private formulas on the service that match no folder, for diff --unmanaged. */
import type { Folder } from '../../folder/find-folders.ts';
import { readManifestName } from '../../folder/manifest.ts';
import type { Formula } from '../../model.ts';
import type { Plan, Step } from './plan.ts';

export type UnmanagedStep = Omit<Step, 'action' | 'remote'> & { action: 'unmanaged'; remote: Formula };

/** `folders` are all folders in the paths, also those that were left out: they match by lock entry, otherwise by name. */
export function findUnmanaged(
  { steps }: Plan,
  remotes: readonly Formula[],
  ids: ReadonlyMap<string, string>,
  folders: readonly Folder[],
): UnmanagedStep[] {
  const matched = new Set(steps.flatMap(({ remote }) => (remote ? [remote.id.toLowerCase()] : [])));
  const planned = new Set(steps.map(({ path }) => path));
  const names = new Set<string | undefined>();
  for (const { path } of folders) {
    const id = ids.get(path)?.toLowerCase();
    if (id !== undefined) matched.add(id);
    else if (!planned.has(path)) names.add(readManifestName(path));
  }
  // A conflict about a name has no single formula.
  for (const { action, local, remote } of steps) if (action === 'conflict' && !remote) names.add(local?.name);
  return remotes
    .filter(({ id, name, type }) => type !== 'official' && !matched.has(id.toLowerCase()) && !names.has(name))
    .map((remote) => ({ action: 'unmanaged', path: '', remote, fields: [] }));
}
