/** Which formula a folder is: the locks above the folders, or the state folder for services of this machine. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { LOCK_FILE, type Lock, lockFolderOf, lockName, printLock, readLock } from '../folder/lock.ts';
import { isInside } from '../folder/write.ts';
import type { Host } from '../host.ts';
import type { TargetName } from '../settings.ts';
import { fingerprint, stateFolder } from '../state/place.ts';
import { openSharedFile, type SharedFile } from '../state/shared-file.ts';

export interface Identities {
  /** Ids by formula folder, absolute and real. */
  readonly ids: ReadonlyMap<string, string>;
  /** The files that have some of them. */
  readonly files: readonly string[];
  /** Records which formula a folder is. The file is written soon, and surely by `saved`. */
  link(folder: string, id: string): void;
  /** Forgets which formula a folder is. */
  unlink(folder: string): void;
  saved(): Promise<void>;
}

/** A lock, and the folder that its entries are relative to. */
interface LockPlace {
  folder: string;
  file: string | undefined;
  lock: SharedFile<Lock> | undefined;
}

/**
 * Opens the locks of paths (absolute and real): for each that of the folder above it. With `onlyExisting`, a lock that
 * is not there yet is not made. Raises invalid (3) for a lock that is broken.
 */
export function openIdentities(
  paths: readonly string[],
  target: TargetName,
  host: Host,
  { onlyExisting = false } = {},
): Identities {
  const places = [...new Set(paths.map(lockFolderOf))].map((folder): LockPlace => {
    const file = target.isShared ? join(folder, LOCK_FILE) : stateLock(folder, host);
    const isOpen = file !== undefined && !(onlyExisting && target.isShared && !existsSync(file));
    return { folder, file, lock: isOpen ? openLock(file, host) : undefined };
  });
  const placeOf = (folder: string) =>
    places
      .filter((place) => isInside(folder, place.folder))
      .reduce<LockPlace | undefined>((a, b) => (a && a.folder.length > b.folder.length ? a : b), undefined);
  const change = (folder: string, edit: (entries: Map<string, string>, name: string) => void) => {
    const place = placeOf(folder);
    place?.lock?.change((lock) => {
      const entries = lock.get(target.name) ?? new Map<string, string>();
      edit(entries, lockName(place.folder, folder));
      lock.set(target.name, entries);
    });
  };
  const ids = new Map(
    places.flatMap(({ folder, lock }) =>
      [...(lock?.value.get(target.name) ?? [])].map(([name, id]) => [join(folder, name), id] as const),
    ),
  );
  const files = places.flatMap(({ file, lock }) => (file && lock?.value.get(target.name)?.size ? [file] : []));
  return {
    ids,
    files,
    link: (folder, id) => {
      if (ids.get(folder) === id) return;
      ids.set(folder, id);
      // An id with the key in it is none to be kept.
      if (host.hidden(id, true) !== id) return;
      change(folder, (entries, name) => entries.set(name, id));
    },
    unlink: (folder) => {
      if (!ids.delete(folder)) return;
      change(folder, (entries, name) => entries.delete(name));
    },
    saved: async () => {
      for (const { lock } of places) await lock?.saved();
    },
  };
}

function openLock(file: string, host: Host): SharedFile<Lock> {
  return openSharedFile<Lock>(host, file, { read: () => readLock(file, file), print: printLock });
}

/** Where the entries of services of this machine are kept; of no use to others, so not in the project. */
function stateLock(folder: string, host: Host): string | undefined {
  const state = stateFolder(host);
  return state && join(state, 'locks', `${fingerprint(realpathSync(folder))}.json`);
}
