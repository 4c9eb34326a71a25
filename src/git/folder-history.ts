/** The files of folders at HEAD's last commits that changed them, read without checking anything out. */
import { type FolderVersion, readFolderVersions } from './objects.ts';
import { type Environment, runGit } from './run-git.ts';

/** A version of a folder. */
interface CommitVersion {
  commit: string;
  files: FolderVersion;
}

export interface FolderHistories {
  /** The versions of each folder, newest first; a folder without any is missing. */
  versions: ReadonlyMap<string, readonly CommitVersion[]>;
  /** Whether older commits are missing, as in a clone with --depth. */
  isShallow: boolean;
}

interface HistoryOptions {
  /** Selects the files by name. */
  isWanted: (name: string) => boolean;
  /** Only commits that this one does not contain. */
  after?: string | undefined;
  /** The maximum number of commits besides HEAD for folders with further files, up to 20. */
  maxBundled: number;
}

const MAX_COMMITS = 20;

/**
 * Reads the versions of folders in HEAD's last 20 commits that changed them. The folders are relative to the repository
 * at `top`, with `/`; '' is the top itself. Each may have further files whose changes count too; then its version in HEAD
 * is included in any case. Four runs of git for all folders together, at most.
 */
export async function readFolderHistories(
  top: string,
  folders: ReadonlyMap<string, readonly string[]>,
  { isWanted, after, maxBundled }: HistoryOptions,
  env: Environment,
): Promise<FolderHistories> {
  const [commits, isShallow] = await Promise.all([
    findCommits(top, folders, { after, maxBundled }, env),
    isShallowRepository(top, env),
  ]);
  const names = [...commits].flatMap(([folder, ids]) => ids.map((id) => `${id}:${folder}`));
  const { versions: contents } = await readFolderVersions(top, names, isWanted, env);
  const toVersion = (folder: string, commit: string): CommitVersion[] => {
    const files = contents.get(`${commit}:${folder}`);
    return files ? [{ commit, files }] : [];
  };
  const versions = [...commits].map(([folder, ids]) => [folder, ids.flatMap((id) => toVersion(folder, id))] as const);
  return { versions: new Map(versions), isShallow };
}

async function isShallowRepository(top: string, env: Environment): Promise<boolean> {
  const { output } = await runGit(['rev-parse', '--is-shallow-repository'], top, env);
  return output.trim() === 'true';
}

/** The last commits that changed each folder, newest first. */
async function findCommits(
  top: string,
  folders: ReadonlyMap<string, readonly string[]>,
  { after, maxBundled }: Pick<HistoryOptions, 'after' | 'maxBundled'>,
  env: Environment,
): Promise<Map<string, readonly string[]>> {
  const commits = new Map([...folders.keys()].map((folder) => [folder, new Set<string>()]));
  const watching = groupByPath(folders);
  for (const { id, files } of watching.size === 0 ? [] : await readLog(top, [...watching.keys()], after, env)) {
    for (const folder of files.flatMap(listFolders).flatMap((path) => watching.get(path) ?? [])) {
      const ids = commits.get(folder);
      if (ids && ids.size < MAX_COMMITS) ids.add(id);
    }
  }
  return new Map(
    [...commits].map(([folder, ids]) => [
      folder,
      folders.get(folder)?.length ? ['HEAD', ...[...ids].slice(0, maxBundled)] : [...ids],
    ]),
  );
}

/** The commits of HEAD that changed some of the paths, newest first, with the changed files. */
async function readLog(top: string, paths: readonly string[], after: string | undefined, env: Environment) {
  const { output } = await runGit(
    [
      '-c',
      'log.follow=false',
      '--literal-pathspecs',
      'log',
      '--no-show-signature',
      '-m',
      '--format=%x01%H',
      '--name-only',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--stdin',
    ],
    top,
    env,
    { input: ['HEAD', ...(after ? [`^${after}`] : []), '--', ...paths.map((path) => path || '.'), ''].join('\n') },
  );
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
