/** Assigns ids to formula folders, for URLs: the name, or the relative path if several have the same name. Pure. */
import { basename } from 'node:path';

/** An id for each folder (absolute path and relative display path), by path. Ids are unique if the relative paths are. */
export function assignFolderIds(folders: readonly { path: string; relativePath: string }[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { path } of folders) counts.set(basename(path), (counts.get(basename(path)) ?? 0) + 1);
  return new Map(
    folders.map(({ path, relativePath }) => {
      const name = basename(path);
      return [path, name !== '' && counts.get(name) === 1 ? name : relativePath];
    }),
  );
}

/** The path of a formula's endpoint; slashes of the id are encoded. */
export const endpointPath = (id: string): string => `/formulas/${encodeURIComponent(id)}`;
