/** The files of folders at HEAD's last commits that changed them, read without checking anything out. */
import { type FolderVersion, readFolderVersions } from './objects.ts';
import { findHeadCommit } from './references.ts';
import { type Environment, runGit } from './run-git.ts';

/** A version of a folder. */
interface CommitVersion {
  commit: string;
  files: FolderVersion;
}

interface CommitOptions {
  /** Only commits that this one does not contain. */
  after?: string | undefined;
  /** The maximum number of commits of a folder. */
  maxCommits: number;
  /** The same for folders with further files, besides HEAD. */
  maxBundled: number;
}

/** Commits of a folder, newest first. */
interface FolderCommits {
  commits: readonly string[];
  /** Whether the first one is HEAD, which did not change the folder. */
  beginsWithHead: boolean;
}

/**
 * Finds HEAD's last commits that changed each folder. The folders are relative to the repository at `top`, with `/`; '' is
 * the top itself. Each may have further files whose changes count too; then HEAD is included in any case.
 */
export async function findFolderCommits(
  top: string,
  folders: ReadonlyMap<string, readonly string[]>,
  { after, maxCommits, maxBundled }: CommitOptions,
  env: Environment,
): Promise<Map<string, FolderCommits>> {
  const found = new Map([...folders.keys()].map((folder) => [folder, new Set<string>()]));
  const watching = groupByPath(folders);
  for (const { id, files } of watching.size === 0 ? [] : await readLog(top, [...watching.keys()], after, env)) {
    for (const folder of files.flatMap(listFolders).flatMap((path) => watching.get(path) ?? [])) {
      const ids = found.get(folder);
      if (ids && ids.size < maxCommits) ids.add(id);
    }
  }
  const head = [...folders.values()].some(({ length }) => length > 0) ? await findHeadCommit(top, env) : undefined;
  const toCommits = (folder: string, ids: readonly string[]): FolderCommits => {
    if (head === undefined || !folders.get(folder)?.length) return { commits: ids, beginsWithHead: false };
    const beginsWithHead = ids[0] !== head;
    return { commits: [...(beginsWithHead ? [head] : []), ...ids.slice(0, maxBundled)], beginsWithHead };
  };
  return new Map([...found].map(([folder, ids]) => [folder, toCommits(folder, [...ids])]));
}

/** Reads the versions of folders in commits, in this order; one that a commit does not have is missing. */
export async function readCommitVersions(
  top: string,
  commits: ReadonlyMap<string, readonly string[]>,
  isWanted: (name: string) => boolean,
  env: Environment,
): Promise<Map<string, readonly CommitVersion[]>> {
  const names = [...commits].flatMap(([folder, ids]) => ids.map((id) => `${id}:${folder}`));
  const { versions } = await readFolderVersions(top, names, isWanted, env);
  const toVersion = (folder: string, commit: string): CommitVersion[] => {
    const files = versions.get(`${commit}:${folder}`);
    return files ? [{ commit, files }] : [];
  };
  return new Map([...commits].map(([folder, ids]) => [folder, ids.flatMap((id) => toVersion(folder, id))]));
}

/** The versions of all files of a name in HEAD's last commits that changed one, and before them; by path and id of the content. */
export async function findFileVersions(
  top: string,
  name: string,
  env: Environment,
): Promise<{ path: string; id: string }[]> {
  const wanted = [`--max-count=${MAX_FILE_COMMITS}`, '--format=', '--raw', '--no-abbrev', 'HEAD', '--', `**/${name}`];
  const { output } = await runGit(['--glob-pathspecs', ...LOG, ...wanted], top, env);
  const changes = [...output.matchAll(/:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\0([^\0]+)\0/g)];
  return changes.flatMap(([, before = '', after = '', path = '']) =>
    [before, after].flatMap((id) => (/^0+$/.test(id) ? [] : [{ path, id }])),
  );
}

const MAX_FILE_COMMITS = 100;
const LOG = 'log --no-show-signature -m -z --no-renames --no-ext-diff --no-textconv'.split(' ');

/** The commits of HEAD that changed some of the paths, newest first, with the changed files. */
async function readLog(top: string, paths: readonly string[], after: string | undefined, env: Environment) {
  const args = ['-c', 'log.follow=false', '--literal-pathspecs', ...LOG, '--format=%x01%H', '--name-only', '--stdin'];
  const lines = ['HEAD', ...(after ? [`^${after}`] : []), '--', ...paths.map((path) => path || '.'), ''];
  const { output } = await runGit(args, top, env, { input: lines.join('\n') });
  // Each commit is \x01, its id, and its files, all ended by NUL.
  return output
    .split('\x01')
    .slice(1)
    .map((part) => {
      const [id = '', ...files] = part.split('\0');
      return { id, files: files.map((file) => file.replace(/^\n+/, '')).filter(Boolean) };
    });
}

/** The folders by each path whose changes count for them. */
function groupByPath(folders: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const byPath = new Map<string, string[]>();
  for (const [folder, files] of folders) {
    // A line break would end the path in git's input.
    for (const path of [folder, ...files].filter((one) => !/[\n\r]/.test(one)))
      byPath.set(path, [...(byPath.get(path) ?? []), folder]);
  }
  return byPath;
}

/** A file and every folder that contains it, '' for the top. */
function listFolders(path: string): string[] {
  const parts = path.split('/');
  return ['', ...parts.map((_, i) => parts.slice(0, i + 1).join('/'))];
}
