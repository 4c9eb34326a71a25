/** The files of folders at HEAD's last commits that changed them, read without checking anything out. */
import { type FolderVersion, readFolderVersions } from './objects.ts';
import { runGit } from './run-git.ts';
import type { Environment } from './start-git.ts';

export interface FolderHistories {
  /** The versions of each folder, newest first; a folder without any is missing. */
  versions: ReadonlyMap<string, readonly FolderVersion[]>;
  /** Whether older commits are missing, as in a clone with --depth. */
  isShallow: boolean;
}

const MAX_COMMITS = 20;

/**
 * Reads the last 20 versions of folders (relative to the repository at `top`, with `/`; '' is the top itself) that are
 * in HEAD. `isWanted` selects the files by name. Four runs of git for all folders together, at most.
 */
export async function readFolderHistories(
  top: string,
  folders: readonly string[],
  isWanted: (name: string) => boolean,
  env: Environment,
): Promise<FolderHistories> {
  // A line break would end the path in git's input.
  const askable = folders.filter((folder) => !/[\n\r]/.test(folder));
  const [commits, isShallow] = await Promise.all([findCommits(top, askable, env), isShallowRepository(top, env)]);
  const contents = await readFolderVersions(
    top,
    [...commits].flatMap(([folder, ids]) => ids.map((id) => `${id}:${folder}`)),
    isWanted,
    env,
  );
  const versions = [...commits].map(
    ([folder, ids]) => [folder, ids.flatMap((id) => contents.get(`${id}:${folder}`) ?? [])] as const,
  );
  return { versions: new Map(versions), isShallow };
}

async function isShallowRepository(top: string, env: Environment): Promise<boolean> {
  const { output } = await runGit(['rev-parse', '--is-shallow-repository'], top, env);
  return output.trim() === 'true';
}

/** The last commits that changed each folder, newest first. */
async function findCommits(top: string, folders: readonly string[], env: Environment): Promise<Map<string, string[]>> {
  const commits = new Map<string, string[]>();
  if (folders.length === 0) return commits;
  const paths = folders.map((folder) => folder || '.');
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
    { input: `HEAD\n--\n${paths.map((path) => `${path}\n`).join('')}` },
  );
  const known = new Set(folders);
  // Each commit is \x01, its id, and its files, all ended by NUL.
  for (const part of output.split('\x01').slice(1)) {
    const [id = '', ...files] = part.split('\0');
    for (const file of files) {
      const path = file.replace(/^\n+/, '');
      for (const folder of listFoldersOf(path).filter((one) => known.has(one))) {
        const ids = commits.get(folder) ?? [];
        if (ids.length < MAX_COMMITS && !ids.includes(id)) commits.set(folder, [...ids, id]);
      }
    }
  }
  return commits;
}

/** Every folder that contains a file, '' for the top. */
function listFoldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, i) => parts.slice(0, i + 1).join('/'))];
}
