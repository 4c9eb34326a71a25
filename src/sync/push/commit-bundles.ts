/** Bundles of earlier versions: the files of a commit, with the packages that are installed now. */
import { join } from 'node:path';
import { findPackageFile, PACKAGE_LOCK_FILES } from '../../check/changed-folders.ts';
import { isPackageFile } from '../../code/bundle/file-kind.ts';
import { isWithin, toRelative } from '../../files/paths.ts';
import { type Changes, readChanges } from '../../git/changes.ts';
import { readObjects, readSizes } from '../../git/objects.ts';
import type { Host } from '../../host/host.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';

export interface CommitBundler {
  /** Whether no input of a bundle changed since the commit; `folder` and `inputs` are absolute and real. */
  isUnchangedSince(commit: string, folder: string, inputs: readonly string[]): Promise<boolean>;
  /**
   * The bundle of a code file; undefined if it fails, if a package lock file changed since the commit, or if the changes
   * since the commit are unknown.
   */
  bundle(commit: string, folder: string, file: string): Promise<string | undefined>;
  /** The files that differ from the commit; undefined if they are unknown, or too large. */
  readOverlay(commit: string): Promise<Overlay | undefined>;
}

export interface Overlay {
  /** The contents in the commit, by path; undefined where it has none that is bundled. */
  files: ReadonlyMap<string, Buffer | undefined>;
  /** The submodules that differ, whose files are not in it. */
  submodules: readonly string[];
}

/** Limits the old files that are in memory: those of a commit, and of how many commits. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_COMMITS = 8;

/** Bundles in the working tree at `top`, with the commits' files in place of those that changed. `known` has changes since commits. */
export function createCommitBundler(
  top: string,
  host: Host,
  known: ReadonlyMap<string, Changes> = new Map(),
): CommitBundler {
  const getChanges = memoize(async (commit: string): Promise<Changes | undefined> => {
    const changes = known.get(commit) ?? (await readChanges(top, commit, host.env));
    return 'error' in changes ? undefined : changes;
  });
  const getOverlay = memoize(async (commit: string) => {
    const changes = await getChanges(commit);
    return changes && readOverlay(top, changes, host);
  });
  return {
    isUnchangedSince: async (commit, folder, inputs) => {
      const changes = await getChanges(commit);
      const prefix = folder === top ? '' : `${toRelative(top, folder)}/`;
      return (
        changes !== undefined &&
        ![...changes.keys()].some((file) => file.startsWith(prefix)) &&
        !inputs.some((input) => changes.has(toRelative(top, input)))
      );
    },
    bundle: async (commit, folder, file) => {
      const changes = await getChanges(commit);
      if (!changes || hasChangedLockFile(changes, folder, top)) return undefined;
      const overlay = await getOverlay(commit);
      if (!overlay) return undefined;
      let isComplete = true;
      const { bundleCode } = await import('../../code/bundle/bundle.ts');
      const { bundle } = await bundleCode(folder, file, {
        ...getSurroundings(host),
        changed: overlay.files,
        onRead: (path) => {
          if (overlay.submodules.some((submodule) => isWithin(path, submodule))) isComplete = false;
        },
      });
      return isComplete ? bundle?.code : undefined;
    },
    readOverlay: getOverlay,
  };
}

const hasChangedLockFile = (changes: Changes, folder: string, top: string) =>
  findPackageFile(folder, top, (file) => changes.has(toRelative(top, file)), PACKAGE_LOCK_FILES) !== undefined;

/** The files that differ from the commit, with its contents; links, and what is no code, JSON, or text, are hidden. */
async function readOverlay(top: string, changes: Changes, { env }: Host): Promise<Overlay | undefined> {
  const isBundled = (path: string) => isPackageFile(path) || path.endsWith('.txt');
  const fileIds = [...changes].flatMap(([path, file]) => (file?.kind === 'file' && isBundled(path) ? [file.id] : []));
  const sizes = await readSizes(top, [...new Set(fileIds)], env);
  if ([...sizes.values()].reduce((sum, size) => sum + size, 0) > MAX_BYTES) return undefined;
  const blobs = await readObjects(top, [...sizes.keys()], env);
  return {
    files: new Map(
      [...changes].map(([path, file]) => [
        join(top, path),
        file?.kind === 'file' && isBundled(path) ? blobs.get(file.id)?.bytes : undefined,
      ]),
    ),
    submodules: [...changes].flatMap(([path, file]) => (file?.kind === 'submodule' ? [join(top, path)] : [])),
  };
}

/** Remembers the results for the last commits. */
function memoize<T>(compute: (commit: string) => Promise<T>): (commit: string) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return (commit) => {
    const known = results.get(commit);
    if (known) return known;
    const result = compute(commit);
    results.set(commit, result);
    const [oldest] = results.keys();
    if (results.size > MAX_COMMITS && oldest !== undefined) results.delete(oldest);
    return result;
  };
}
