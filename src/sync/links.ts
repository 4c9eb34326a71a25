/** Links folders to formulas: in lock files, or in the state folder for services on this computer. */
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath } from '../files/paths.ts';
import { foldName } from '../files/safe-names.ts';
import { toLockfileKey } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { groupBy } from '../text/group-by.ts';
import { type LinkFile, type LinkOptions, openLinkFiles } from './link-files.ts';

export type Links = ReturnType<typeof openLinks>;

/**
 * Opens the lock files of paths and of the formula folders in them (absolute and real). Raises invalid (3) for an invalid
 * lock file, and for a folder or an id that two lock files have for the target.
 */
export function openLinks(paths: readonly string[], target: TargetName, host: Host, options: LinkOptions = {}) {
  const { linkFiles, findLinkFile, unsearched } = openLinkFiles(paths, target, host, options);
  const { ids, entries, copies } = readEntries(
    linkFiles(),
    target,
    target.isShared && options.searchBelow !== 'lenient',
  );
  followRenames(options.folders ?? [], ids, entries);
  const files = [...new Set([...entries.values()].map(({ linkFile }) => linkFile.file))];

  const change = (folder: string, edit: (entries: Map<string, string>, name: string) => void) => {
    const known = entries.get(folder);
    const place = known?.linkFile ?? findLinkFile(folder);
    place?.content.change((lock) => {
      const targetLinks = lock.get(target.name) ?? new Map<string, string>();
      if (known) targetLinks.delete(known.name);
      edit(targetLinks, toLockfileKey(place.folder, folder));
      lock.set(target.name, targetLinks);
    });
    if (place) entries.set(folder, { linkFile: place, name: toLockfileKey(place.folder, folder), path: folder });
  };
  return {
    /** Ids by formula folder, absolute and real. */
    ids: ids as ReadonlyMap<string, string>,
    /** The files that contain them. */
    files,
    /** The targets of all lock files that were opened. */
    targets: [...new Set(linkFiles().flatMap(({ content }) => [...content.value.keys()]))],
    /** Ids that a lock file elsewhere in the repository has too, as in a copied tree. */
    copies: copies as readonly Copy[],
    /** The repositories that have too many folders to read all. */
    unsearched,
    /** The folders of lock files elsewhere in the repository. */
    elsewhere: linkFiles().flatMap(({ folder, isElsewhere }) => (isElsewhere ? [folder] : [])),
    /** The file that has, or will have, the entry of a folder. */
    findFile: (folder: string): string | undefined => (entries.get(folder)?.linkFile ?? findLinkFile(folder))?.file,
    /** Links a folder to a formula. The file is written soon; `flush` waits for it. */
    link: (folder: string, id: string): void => {
      const entry = entries.get(folder);
      const isRenamed = entry !== undefined && entry.name !== toLockfileKey(entry.linkFile.folder, folder);
      if (ids.get(folder) === id && !isRenamed) return;
      ids.set(folder, id);
      // An id that contains the key is not stored.
      if (host.redact(id, true) !== id) return;
      change(folder, (inTarget, name) => inTarget.set(name, id));
    },
    /** Removes the entry of a folder. */
    unlink: (folder: string): void => {
      if (!ids.delete(folder)) return;
      change(folder, (inTarget, name) => inTarget.delete(name));
      entries.delete(folder);
    },
    flush: async () => {
      for (const { content } of linkFiles()) await content.flush();
    },
  };
}

/** The entry of a folder; `name` is its key in the lock file. */
interface LinkEntry {
  linkFile: LinkFile;
  name: string;
  path: string;
}

/** An id of two folders in two lock files. */
interface Copy {
  id: string;
  entries: readonly [first: { path: string; file: string }, second: { path: string; file: string }];
}

/** Raises invalid (3), if `isStrict`, for a folder or an id that two lock files have. */
function readEntries(linkFiles: readonly LinkFile[], target: TargetName, isStrict: boolean) {
  const ids = new Map<string, string>();
  const entries = new Map<string, LinkEntry>();
  const byId = new Map<string, LinkEntry>();
  const copies: Copy[] = [];
  const toPlace = ({ path, linkFile: { file } }: LinkEntry) => ({ path, file });
  const add = (id: string, entry: LinkEntry) => {
    const { path, linkFile } = entry;
    const [samePath, sameId] = [entries.get(path), byId.get(id.toLowerCase())];
    if (samePath && linkFile.isElsewhere) return;
    const other = sameId?.linkFile === linkFile ? undefined : sameId;
    if (other && linkFile.isElsewhere) copies.push({ id, entries: [toPlace(other), toPlace(entry)] });
    else if (isStrict && samePath) throw duplicateEntryError(`the folder ${path}`, target, samePath, entry);
    else if (isStrict && other) throw duplicateEntryError(`the id ${id}`, target, other, entry);
    ids.set(path, id);
    entries.set(path, entry);
    byId.set(id.toLowerCase(), entry);
  };
  // The nearest lock file of a folder is the longest path, so it comes last.
  for (const linkFile of linkFiles) {
    for (const [name, id] of linkFile.content.value.get(target.name) ?? [])
      add(id, { linkFile, name, path: join(linkFile.folder, name) });
  }
  return { ids, entries, copies };
}

const duplicateEntryError = (what: string, target: TargetName, first: LinkEntry, second: LinkEntry) =>
  new CliError(
    'invalid',
    `two lock files have ${what} for the target ${target.name}: ${first.linkFile.file} as ${JSON.stringify(first.name)}, and ${second.linkFile.file} as ${JSON.stringify(second.name)}`,
    { hint: 'Remove one of the two entries, and run the command again.' },
  );

/** Keeps the entries of folders that were renamed only in letter case or Unicode form. */
function followRenames(folders: readonly string[], ids: Map<string, string>, entries: Map<string, LinkEntry>): void {
  const unlinked = folders.filter((folder) => !ids.has(folder));
  if (unlinked.length === 0 || ids.size === 0) return;
  const renamed = groupBy(
    [...ids.keys()].filter((path) => findRealPath(path) !== path),
    foldName,
  );
  for (const folder of unlinked) {
    const [path = '', ...others] = renamed.get(foldName(folder)) ?? [];
    const [entry, id] = [entries.get(path), ids.get(path)];
    if (entry === undefined || id === undefined || others.length > 0) continue;
    ids.delete(path);
    entries.delete(path);
    ids.set(folder, id);
    entries.set(folder, entry);
  }
}
