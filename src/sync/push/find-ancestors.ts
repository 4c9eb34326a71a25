/** Asks git which remote versions are earlier versions of their folders: a colleague pushed what is in HEAD or before. */

import { existsSync } from 'node:fs';
import { readContents, shouldBundle } from '../../check/check-formula.ts';
import { toRelative } from '../../files/paths.ts';
import { groupByWorkingCopy } from '../../files/repository.ts';
import { type CommitVersion, readFolderHistories } from '../../git/folder-history.ts';
import type { Host } from '../../host/host.ts';
import { mapInParallel } from '../../host/parallel.ts';
import type { Formula } from '../../model.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { type CommitBundler, createCommitBundler } from './commit-bundles.ts';
import { compareVersion, isFormulaFile, type VersionMatch } from './compare-version.ts';

/** A folder (absolute and real) and the remote formula that it would replace or delete. */
export interface FolderPair {
  path: string;
  remote: Formula;
}

export interface Ancestors {
  /**
   * 'same' for folders whose remote version is their content in HEAD or in one of the last 20 commits that changed them;
   * 'unknown' where only manifest and icon could be compared. Others are missing.
   */
  matches: ReadonlyMap<string, 'same' | 'unknown'>;
  /** Whether a repository does not have all commits, so that others may be missing. */
  isShallow: boolean;
}

interface Search {
  host: Host;
  /** Only commits that this one does not contain. */
  after?: string | undefined;
  bundler?: CommitBundler;
}

/** Limits how many old versions are in memory at once. */
export const MAX_FOLDERS = 100;
export const MAX_BUNDLES = 8;

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
  { host, after, bundler = createCommitBundler(top, host) }: Search,
): Promise<Ancestors> {
  const matches = new Map<string, 'same' | 'unknown'>();
  let isShallow = false;
  for (let i = 0; i < pairs.length; i += MAX_FOLDERS) {
    const chunk = pairs.slice(i, i + MAX_FOLDERS);
    const bundles = new Map(
      await mapInParallel(chunk, MAX_BUNDLES, async ({ path }) => [path, await bundleNow(path, host)] as const),
    );
    const toTop = (path: string) => toRelative(top, path);
    const paths = new Map([...bundles].map(([path, { inputs }]) => [toTop(path), inputs.map(toTop)]));
    const histories = await readFolderHistories(top, paths, { isWanted: isFormulaFile, after }, host.env);
    isShallow ||= histories.isShallow;
    await mapInParallel(chunk, MAX_BUNDLES, async (pair) => {
      const versions = histories.versions.get(toTop(pair.path)) ?? [];
      const match = await findMatch(pair, versions, bundles.get(pair.path) ?? { inputs: [] }, bundler);
      if (match !== 'different') matches.set(pair.path, match);
    });
  }
  return { matches, isShallow };
}

async function findMatch(
  { path, remote }: FolderPair,
  versions: readonly CommitVersion[],
  now: BundleNow,
  bundler: CommitBundler,
): Promise<VersionMatch> {
  let best: VersionMatch = 'different';
  for (const { commit, files } of versions) {
    const match = await compareVersion(files, remote, async (file) =>
      (await bundler.isUnchangedSince(commit, path, now.inputs)) ? now.code : bundler.bundle(commit, path, file),
    );
    if (match === 'same') return match;
    if (match === 'unknown') best = match;
  }
  return best;
}

/** The bundle of a folder as it is now, and the files of the repository in it; empty without one. */
interface BundleNow {
  code?: string | undefined;
  inputs: readonly string[];
}

async function bundleNow(path: string, host: Host): Promise<BundleNow> {
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
