/** Finds folders with the same name, or the same linked id. Pure. */
import type { LocalFormula } from '../../check/local-formula.ts';

/** The problem of each such folder, which names the other folders. */
export function findDuplicates(
  locals: readonly Pick<LocalFormula, 'folder' | 'path' | 'name'>[],
  ids: ReadonlyMap<string, string>,
): Map<string, string> {
  const duplicates = new Map<string, string>();
  const find = (label: string, getKey: (local: (typeof locals)[number]) => string | undefined) => {
    const byKey = new Map<string, string[]>();
    for (const local of locals) {
      const key = getKey(local);
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), local.folder]);
    }
    for (const [key, folders] of byKey) {
      if (folders.length < 2) continue;
      for (const folder of folders) {
        const others = folders.filter((other) => other !== folder).join(', ');
        duplicates.set(folder, `${folder} has the same ${label} as ${others}: ${JSON.stringify(key)}`);
      }
    }
  };
  find('id in the lock', ({ path }) => ids.get(path)?.toLowerCase());
  find('name', ({ name }) => name);
  return duplicates;
}
