/** The files of folders at HEAD's last commits that changed them, read without checking anything out. */
import { type GitOutput, readOutput } from './git-output.ts';
import { startGit } from './start-git.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The regular files of a folder in one commit, by name. */
export type FolderVersion = ReadonlyMap<string, Buffer>;

export interface FolderHistories {
  /** The versions of each folder, newest first; a folder without any is missing. */
  versions: ReadonlyMap<string, readonly FolderVersion[]>;
  /** Whether older commits are missing, as in a clone with --depth. */
  isShallow: boolean;
}

const MAX_COMMITS = 20;
/** Files larger than this, in bytes, are part of no formula. */
const MAX_BYTES = 32 * 1024 * 1024;

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
  const trees = await readObjects(
    top,
    [...commits].flatMap(([folder, ids]) => ids.map((id) => `${id}:${folder}`)),
    env,
  );
  const parsed = new Map(
    [...trees].flatMap(([name, { type, bytes, id }]) =>
      type === 'tree' ? [[name, parseTree(bytes, id.length / 2).filter((entry) => isWanted(entry.name))] as const] : [],
    ),
  );
  const blobs = await readObjects(top, [...new Set([...parsed.values()].flat().map(({ id }) => id))], env);
  const toVersion = (name: string): FolderVersion[] => {
    const entries = parsed.get(name);
    if (!entries) return [];
    return [
      new Map(
        entries.flatMap(({ name: file, id }) => {
          const blob = blobs.get(id);
          return blob?.type === 'blob' ? [[file, blob.bytes] as const] : [];
        }),
      ),
    ];
  };
  const versions = [...commits].map(
    ([folder, ids]) => [folder, ids.flatMap((id) => toVersion(`${id}:${folder}`))] as const,
  );
  return { versions: new Map(versions), isShallow };
}

async function isShallowRepository(top: string, env: Environment): Promise<boolean> {
  const { output } = await runGit(['rev-parse', '--is-shallow-repository'], '', top, env);
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
    `HEAD\n--\n${paths.map((path) => `${path}\n`).join('')}`,
    top,
    env,
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

interface GitObject {
  id: string;
  type: string;
  bytes: Buffer;
}

/** Reads objects by name. Missing ones, and those that a partial clone did not fetch, are left out. */
async function readObjects(top: string, names: readonly string[], env: Environment): Promise<Map<string, GitObject>> {
  if (names.length === 0) return new Map();
  const { bytes } = await runGit(['cat-file', '--batch'], `${names.join('\n')}\n`, top, env);
  const objects = new Map<string, GitObject>();
  let offset = 0;
  for (const name of names) {
    const end = bytes.indexOf(0x0a, offset);
    if (end < 0) break;
    const [, id, type = '', size = ''] =
      /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(bytes.toString('utf8', offset, end)) ?? [];
    offset = end + 1;
    if (id === undefined) continue;
    const length = Number(size);
    if (length <= MAX_BYTES) objects.set(name, { id, type, bytes: bytes.subarray(offset, offset + length) });
    offset += length + 1;
  }
  return objects;
}

const FILE_MODES = ['100644', '100755', '100664'];

/** The regular files of a tree object: mode, space, name, NUL, and the id in `idBytes` bytes. */
function parseTree(tree: Buffer, idBytes: number): { name: string; id: string }[] {
  const files: { name: string; id: string }[] = [];
  for (let offset = 0; offset < tree.length; ) {
    const end = tree.indexOf(0, offset);
    if (end < 0) break;
    const [mode = '', ...name] = tree.toString('utf8', offset, end).split(' ');
    const id = tree.toString('hex', end + 1, end + 1 + idBytes);
    if (FILE_MODES.includes(mode)) files.push({ name: name.join(' '), id });
    offset = end + 1 + idBytes;
  }
  return files;
}

async function runGit(args: readonly string[], input: string, top: string, env: Environment): Promise<GitOutput> {
  const git = startGit(args, top, env);
  // If git ends early, its exit code tells more than a broken pipe.
  git.stdin?.on('error', () => undefined).end(input);
  return readOutput(git);
}
