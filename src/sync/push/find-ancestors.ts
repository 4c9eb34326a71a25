/** Asks git which remote versions are earlier versions of their folders: a colleague pushed what is in HEAD or before. */
import { existsSync } from 'node:fs';
import { readContents, shouldBundle } from '../../check/check-folder.ts';
import { toRelative } from '../../files/paths.ts';
import { groupByWorkingCopy } from '../../files/repository.ts';
import { readFolderHistories } from '../../git/folder-history.ts';
import type { FolderVersion } from '../../git/objects.ts';
import type { Host } from '../../host/host.ts';
import { mapInParallel } from '../../host/parallel.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { type CommitBundler, createCommitBundler } from './commit-bundles.ts';
import { type BundleVersion, compareVersion, isFormulaFile } from './compare-version.ts';
import type { FolderPair } from './plan-steps.ts';

export interface Ancestors {
  /**
   * 'same' for folders whose remote version is their content in HEAD or in one of the last 20 commits that changed them;
   * 'unknown' where only manifest and icon could be compared. Others are missing.
   */
  matches: ReadonlyMap<string, 'same' | 'unknown'>;
  /** Whether a repository does not have all commits, so that others may be missing. */
  isShallow: boolean;
}

interface VersionSearch {
  host: Host;
  /** Only commits that this one does not contain. */
  after?: string | undefined;
  bundler?: CommitBundler;
}

/** Limits how many old versions are in memory at once. */
export const MAX_FOLDERS = 100;
export const MAX_BUNDLES = 8;
/** About so many versions are bundled: 20 of each folder, or fewer of many folders. */
const MAX_COMMIT_BUNDLES = 400;

export async function findAncestors(pairs: readonly FolderPair[], host: Host): Promise<Ancestors> {
  const matches = new Map<string, 'same' | 'unknown'>();
  let isShallow = false;
  for (const [top, inTop] of groupByWorkingCopy(pairs, ({ path }) => path)) {
    const found = await findAncestorsIn(top, inTop, { host });
    isShallow ||= found.isShallow;
    for (const [path, match] of found.matches) matches.set(path, match);
  }
  return { matches, isShallow };
}

/** The same for folders of the repository at `top`. */
export async function findAncestorsIn(
  top: string,
  pairs: readonly FolderPair[],
  search: VersionSearch,
): Promise<Ancestors> {
  const matches = new Map<string, 'same' | 'unknown'>();
  const remotes = new Map(pairs.map(({ path, remote }) => [path, remote]));
  const isShallow = await visitVersions(top, [...remotes.keys()], search, async (path, version, bundle) => {
    const remote = remotes.get(path);
    const match = remote ? await compareVersion(version, remote, bundle) : 'different';
    if (match !== 'different') matches.set(path, match);
    return match === 'same';
  });
  return { matches, isShallow };
}

/** Returns whether the older versions of the folder need not be visited. `bundle` bundles code.ts or code.mjs of the version. */
type VisitVersion = (path: string, version: FolderVersion, bundle: BundleVersion) => Promise<boolean>;

/** Visits the versions of folders (absolute and real) in the last commits, newest first. Returns whether the repository is shallow. */
export async function visitVersions(
  top: string,
  folders: readonly string[],
  { host, after, bundler = createCommitBundler(top, host) }: VersionSearch,
  visit: VisitVersion,
): Promise<boolean> {
  let isShallow = false;
  const maxBundled = Math.max(2, Math.floor(MAX_COMMIT_BUNDLES / folders.length));
  const toTop = (path: string) => toRelative(top, path);
  for (let i = 0; i < folders.length; i += MAX_FOLDERS) {
    const bundles = await mapInParallel(
      folders.slice(i, i + MAX_FOLDERS),
      MAX_BUNDLES,
      async (path) => [path, await bundleWorkingTree(path, host)] as const,
    );
    const paths = new Map(bundles.map(([path, { inputs }]) => [toTop(path), inputs.map(toTop)]));
    const histories = await readFolderHistories(top, paths, { isWanted: isFormulaFile, after, maxBundled }, host.env);
    isShallow ||= histories.isShallow;
    await mapInParallel(bundles, MAX_BUNDLES, async ([path, now]) => {
      for (const { commit, files } of histories.versions.get(toTop(path)) ?? []) {
        const bundle: BundleVersion = async (file) =>
          (await bundler.isUnchangedSince(commit, path, now.inputs)) ? now.code : bundler.bundle(commit, path, file);
        if (await visit(path, files, bundle)) return;
      }
    });
  }
  return isShallow;
}

/** The bundle of a folder as it is now, and the files of the repository in it; empty without one. */
interface WorkingTreeBundle {
  code?: string | undefined;
  inputs: readonly string[];
}

async function bundleWorkingTree(path: string, host: Host): Promise<WorkingTreeBundle> {
  const contents = existsSync(path) ? readContents({ displayPath: path, path }) : undefined;
  if (!contents || !shouldBundle(contents)) return { inputs: [] };
  const inputs = new Set<string>();
  const { bundleCode } = await import('../../code/bundle/bundle.ts');
  const { bundle } = await bundleCode(path, contents.code.file, {
    ...getSurroundings(host),
    onRead: (file) => inputs.add(file),
  });
  return { code: bundle?.code, inputs: [...inputs] };
}
