/** A disk on which some files have other contents, or do not exist. */
import { basename, dirname } from 'node:path';
import { listAncestors } from '../../files/repository.ts';
import type { Disk } from './disk.ts';

/** `files` has real paths; undefined hides a file. */
export function createOverlayDisk(disk: Disk, files: ReadonlyMap<string, Buffer | undefined>): Disk {
  const parents = new Set([...files].flatMap(([file, content]) => (content ? [dirname(file)] : [])));
  const folders = new Set([...parents].flatMap(listAncestors));
  const isHidden = (path: string) => files.has(path) && files.get(path) === undefined;
  const realPath = (path: string) => {
    const real = files.get(path) ? path : (disk.realPath(path) ?? (folders.has(path) ? path : undefined));
    return real === undefined || isHidden(real) ? undefined : real;
  };
  const getKind = (path: string) => {
    const real = realPath(path);
    if (real === undefined) return undefined;
    return files.get(real) ? 'file' : (disk.getKind(real) ?? 'folder');
  };
  return {
    realPath,
    getKind,
    read: (path, limit) => {
      const content = files.get(path);
      if (isHidden(path)) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT', path });
      return content ?? disk.read(path, limit);
    },
    list: (folder) => {
      const onDisk = disk.getKind(folder) === 'folder' ? disk.list(folder) : [];
      const entries = new Map(onDisk.map((entry) => [entry.name, entry]));
      for (const path of [...files.keys(), ...folders].filter((one) => dirname(one) === folder && one !== folder)) {
        if (isHidden(path)) entries.delete(basename(path));
        else entries.set(basename(path), { name: basename(path), isFolder: !files.has(path) });
      }
      return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}
