/** The entries of lock files for one target. */
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath } from '../files/paths.ts';
import { foldName } from '../files/safe-names.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import type { LinkFile } from './link-files.ts';

/** The entry of a folder; `name` is its key in the lock file. */
export interface LinkEntry {
  linkFile: LinkFile;
  name: string;
}

/** Raises invalid (3), if `isStrict`, for a folder or an id that two lock files have. */
export function readEntries(linkFiles: readonly LinkFile[], target: TargetName, isStrict: boolean) {
  const ids = new Map<string, string>();
  const entries = new Map<string, LinkEntry>();
  const byId = new Map<string, LinkEntry>();
  // The nearest lock file of a folder is the longest path, so it comes last.
  for (const linkFile of linkFiles) {
    for (const [name, id] of linkFile.content.value.get(target.name) ?? []) {
      const path = join(linkFile.folder, name);
      const entry = { linkFile, name };
      const [samePath, sameId] = [entries.get(path), byId.get(id.toLowerCase())];
      if (samePath && isStrict) throw duplicateEntryError(`the folder ${path}`, target, samePath, entry);
      if (sameId && sameId.linkFile !== linkFile && isStrict)
        throw duplicateEntryError(`the id ${id}`, target, sameId, entry);
      ids.set(path, id);
      entries.set(path, entry);
      byId.set(id.toLowerCase(), entry);
    }
  }
  return { ids, entries };
}

const duplicateEntryError = (what: string, target: TargetName, first: LinkEntry, second: LinkEntry) =>
  new CliError(
    'invalid',
    `two lock files have ${what} for the target ${target.name}: ${first.linkFile.file} as ${JSON.stringify(first.name)}, and ${second.linkFile.file} as ${JSON.stringify(second.name)}`,
    { hint: 'Remove one of the two entries, and run the command again.' },
  );

/** Keeps the entries of folders that were renamed only in letter case or Unicode form. */
export function followRenames(
  folders: readonly string[],
  ids: Map<string, string>,
  entries: Map<string, LinkEntry>,
): void {
  const unlinked = folders.filter((folder) => !ids.has(folder));
  if (unlinked.length === 0 || ids.size === 0) return;
  const renamed = new Map<string, string[]>();
  for (const path of ids.keys()) {
    const actual = findRealPath(path);
    if (actual === path) continue;
    renamed.set(foldName(path), [...(renamed.get(foldName(path)) ?? []), path]);
  }
  for (const folder of unlinked) {
    const [path, ...others] = renamed.get(foldName(folder)) ?? [];
    const entry = path === undefined ? undefined : entries.get(path);
    const id = path === undefined ? undefined : ids.get(path);
    if (path === undefined || entry === undefined || id === undefined || others.length > 0) continue;
    ids.delete(path);
    entries.delete(path);
    ids.set(folder, id);
    entries.set(folder, entry);
  }
}
