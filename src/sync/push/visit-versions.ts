/** Visits the versions of folders in the last commits that changed them, without checking anything out. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readContents, shouldBundle } from '../../check/check-folder.ts';
import { toRelative } from '../../files/paths.ts';
import { CODE_FILES, isFormulaFile } from '../../folder/read.ts';
import { findFolderCommits, readCommitVersions } from '../../git/folder-history.ts';
import type { FolderVersion } from '../../git/objects.ts';
import { isShallowRepository } from '../../git/references.ts';
import type { Host } from '../../host/host.ts';
import { mapInParallel } from '../../host/parallel.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { type CommitBundler, createCommitBundler } from './commit-bundles.ts';
import type { BundleVersion } from './compare-version.ts';

/** The place of a version in the history of its folder. */
export interface VersionPlace {
  commit: string;
  /** How many later commits changed the folder. */
  behind: number;
}

export interface VersionSearch {
  host: Host;
  /** Only commits that this one does not contain. */
  after?: string | undefined;
  bundler?: CommitBundler;
  /** The maximum number of commits of a folder. */
  maxCommits?: number;
}

/** Returns whether the older versions of the folder need not be visited. `bundle` bundles code.ts or code.mjs of the version. */
type VisitVersion = (
  path: string,
  version: FolderVersion,
  bundle: BundleVersion,
  place: VersionPlace,
) => Promise<boolean>;

const MAX_COMMITS = 20;
/** Together, how many old versions are in memory at once. */
export const MAX_FOLDERS = 100;
const MAX_VERSIONS = 20;
/** Most live versions are not far behind. */
const MIN_VERSIONS = 4;
export const MAX_BUNDLES = 8;
/** About so many versions are bundled: 20 of each folder, or fewer of many folders. */
const MAX_COMMIT_BUNDLES = 400;

/** Visits the versions of folders (absolute and real), newest first. Returns whether the repository is shallow. */
export async function visitVersions(
  top: string,
  folders: readonly string[],
  { host, after, bundler = createCommitBundler(top, host), maxCommits = MAX_COMMITS }: VersionSearch,
  visit: VisitVersion,
): Promise<boolean> {
  const maxBundled = Math.min(maxCommits, Math.max(2, Math.floor(MAX_COMMIT_BUNDLES / folders.length)));
  const isBundled = (path: string) => BUNDLED_FILES.some((name) => existsSync(join(path, name)));
  const plain = folders.filter((path) => !isBundled(path));
  for (const some of [plain, ...toChunks(folders.filter(isBundled), MAX_FOLDERS)])
    await visitAll(top, await openVisits(top, some, { after, maxCommits, maxBundled }, host), bundler, visit, host);
  return isShallowRepository(top, host.env);
}

const BUNDLED_FILES = CODE_FILES.filter((name) => name !== 'code.js');

export const toChunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** Reads few versions of all folders, then more of those whose visit has not ended. */
async function visitAll(
  top: string,
  folders: readonly OpenVisit[],
  bundler: CommitBundler,
  visit: VisitVersion,
  { env }: Host,
): Promise<void> {
  let open = folders.filter(({ commits }) => commits.length > 0);
  for (let count = MIN_VERSIONS; open.length > 0; count = Math.min(2 * count, MAX_VERSIONS)) {
    for (const some of toChunks(open, Math.floor((MAX_FOLDERS * MAX_VERSIONS) / count))) {
      const round = new Map(some.map(({ name, commits }) => [name, commits.splice(0, count)]));
      const versions = await readCommitVersions(top, round, isFormulaFile, env);
      await mapInParallel(some, MAX_BUNDLES, async (folder) => {
        const { path, now, head } = folder;
        for (const { commit, files } of versions.get(folder.name) ?? []) {
          const bundle: BundleVersion = async (file) =>
            (await bundler.isUnchangedSince(commit, path, now.inputs)) ? now.code : bundler.bundle(commit, path, file);
          const place = commit === head?.id ? head.place : { commit, behind: folder.visited++ };
          if (await visit(path, files, bundle, place)) return void folder.commits.splice(0);
        }
      });
    }
    open = open.filter(({ commits }) => commits.length > 0);
  }
}

/** A folder and its commits that were not visited yet. */
interface OpenVisit {
  path: string;
  /** The path from the top of the repository. */
  name: string;
  now: WorkingTreeBundle;
  commits: string[];
  /** HEAD, if it did not change the folder. */
  head: { id: string; place: VersionPlace } | undefined;
  /** How many commits that changed the folder were visited. */
  visited: number;
}

async function openVisits(
  top: string,
  folders: readonly string[],
  options: Parameters<typeof findFolderCommits>[2],
  host: Host,
): Promise<OpenVisit[]> {
  const toName = (path: string) => toRelative(top, path);
  const bundles = await mapInParallel(folders, MAX_BUNDLES, async (path) => ({
    path,
    name: toName(path),
    now: await bundleWorkingTree(path, host),
  }));
  const inputs = new Map(bundles.map(({ name, now }) => [name, now.inputs.map(toName)]));
  const found = await findFolderCommits(top, inputs, options, host.env);
  return bundles.map((folder) => {
    const { commits, beginsWithHead } = found.get(folder.name) ?? { commits: [], beginsWithHead: false };
    const [id = '', commit = id] = commits;
    const head = beginsWithHead ? { id, place: { commit, behind: 0 } } : undefined;
    return { ...folder, commits: [...commits], head, visited: 0 };
  });
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
