/** Links folders to formulas: in lock files, or in the state folder for services on this computer. */
import { toLockfileKey } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { followRenames, readEntries } from './link-entries.ts';
import { type LinkOptions, openLinkFiles } from './link-files.ts';

export interface Links {
  /** Ids by formula folder, absolute and real. */
  readonly ids: ReadonlyMap<string, string>;
  /** The files that contain them. */
  readonly files: readonly string[];
  /** The file that has, or will have, the entry of a folder. */
  findFile(folder: string): string | undefined;
  /** Links a folder to a formula. The file is written soon; `flush` waits for it. */
  link(folder: string, id: string): void;
  /** Removes the entry of a folder. */
  unlink(folder: string): void;
  flush(): Promise<void>;
}

/**
 * Opens the lock files of paths and of the formula folders in them (absolute and real). Raises invalid (3) for an invalid
 * lock file, and for a folder or an id that two lock files have for the target.
 */
export function openLinks(paths: readonly string[], target: TargetName, host: Host, options: LinkOptions = {}): Links {
  const { linkFiles, findLinkFile } = openLinkFiles(paths, target, host, options);
  const { ids, entries } = readEntries(linkFiles(), target, target.isShared && options.searchBelow !== 'lenient');
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
    if (place) entries.set(folder, { linkFile: place, name: toLockfileKey(place.folder, folder) });
  };
  return {
    ids,
    files,
    findFile: (folder) => (entries.get(folder)?.linkFile ?? findLinkFile(folder))?.file,
    link: (folder, id) => {
      const entry = entries.get(folder);
      const isRenamed = entry !== undefined && entry.name !== toLockfileKey(entry.linkFile.folder, folder);
      if (ids.get(folder) === id && !isRenamed) return;
      ids.set(folder, id);
      // An id that contains the key is not stored.
      if (host.redact(id, true) !== id) return;
      change(folder, (inTarget, name) => inTarget.set(name, id));
    },
    unlink: (folder) => {
      if (!ids.delete(folder)) return;
      change(folder, (inTarget, name) => inTarget.delete(name));
      entries.delete(folder);
    },
    flush: async () => {
      for (const { content } of linkFiles()) await content.flush();
    },
  };
}
