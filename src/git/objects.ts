/** Reads the files of commits without checking anything out. */
import { type Environment, runGit } from './run-git.ts';

/** The regular files of a folder in one commit, by name. */
export type FolderVersion = ReadonlyMap<string, Buffer>;

/** Files larger than this, in bytes, are part of no formula. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface FolderVersions {
  /** By name; folders that a commit does not have are missing. */
  versions: ReadonlyMap<string, FolderVersion>;
  /** Whether the repository has all their files, unlike a partial clone. */
  isComplete: boolean;
}

/** Reads folders of commits, named `commit:folder`. `isWanted` selects the files by name. */
export async function readFolderVersions(
  top: string,
  names: readonly string[],
  isWanted: (name: string) => boolean,
  env: Environment,
): Promise<FolderVersions> {
  const ids = await findTreeIds(top, names, env);
  const trees = await readObjects(top, [...new Set(names.map((name) => ids.get(name) ?? name))], env);
  const entries = names.flatMap((name) => {
    const tree = trees.get(ids.get(name) ?? name);
    if (tree?.type !== 'tree') return [];
    return [
      { name, files: parseTree(tree).filter(({ mode, name: file }) => FILE_MODES.includes(mode) && isWanted(file)) },
    ];
  });
  const blobIds = new Set(entries.flatMap(({ files }) => files.map(({ id }) => id)));
  const blobs = await readObjects(top, [...blobIds], env);
  const versions = entries.map(({ name, files }) => {
    const read = files.map(({ name: file, id }) => [file, blobs.get(id)?.bytes] as const);
    return [name, new Map(read.filter((one): one is [string, Buffer] => one[1] !== undefined))] as const;
  });
  return { versions: new Map(versions), isComplete: blobs.size === blobIds.size };
}

/** From so many folders on, git takes longer to find each than to print the folder that contains them all. */
const MIN_SIBLINGS = 8;

/** The ids of folders, by name, whose siblings are searched too. */
async function findTreeIds(top: string, names: readonly string[], env: Environment): Promise<Map<string, string>> {
  const counts = new Map<string, number>();
  for (const parent of names.map(toParent)) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  const large = [...counts].flatMap(([parent, count]) => (count < MIN_SIBLINGS ? [] : [parent]));
  const ids = new Map<string, string>();
  for (const [parent, tree] of await readObjects(top, large, env))
    for (const { name, id } of tree.type === 'tree' ? parseTree(tree) : [])
      ids.set(`${parent}${parent.endsWith(':') ? '' : '/'}${name}`, id);
  return ids;
}

/** `commit:a/b` is in `commit:a`, which is in `commit:`. */
const toParent = (name: string) => name.replace(/(?<=:)[^/]*$|\/[^/]*$/, '');

interface GitObject {
  id: string;
  type: string;
  bytes: Buffer;
}

/** Reads objects by name. Missing ones, and those that a partial clone did not fetch, are left out. */
export async function readObjects(
  top: string,
  names: readonly string[],
  env: Environment,
): Promise<Map<string, GitObject>> {
  // A line break would end the name in git's input.
  const askable = names.filter((name) => !/[\n\r]/.test(name));
  if (askable.length === 0) return new Map();
  const { bytes } = await runGit(['cat-file', '--batch'], top, env, { input: `${askable.join('\n')}\n` });
  const objects = new Map<string, GitObject>();
  let offset = 0;
  for (const name of askable) {
    const end = bytes.indexOf(0x0a, offset);
    if (end < 0) break;
    const [, id, type = '', size = ''] =
      /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(bytes.toString('utf8', offset, end)) ?? [];
    offset = end + 1;
    if (id === undefined) continue;
    const length = Number(size);
    // git was stopped while it wrote the object.
    if (offset + length > bytes.length) break;
    if (length <= MAX_BYTES) objects.set(name, { id, type, bytes: bytes.subarray(offset, offset + length) });
    offset += length + 1;
  }
  return objects;
}

/** A file of a commit: the id of its blob, or of the commit of a submodule. */
export interface TreeFile {
  kind: 'file' | 'link' | 'submodule';
  id: string;
}

/** The files of a commit by path, relative to the top and with `/`. Raises an error with git's message. */
export async function listTree(top: string, commit: string, env: Environment): Promise<Map<string, TreeFile>> {
  const { code, output, error } = await runGit(['ls-tree', '-r', '-z', '--full-tree', commit], top, env);
  if (code !== 0) throw new Error(error.trim() || `git ended with ${code}`);
  const files = output.matchAll(/(\d{3})\d{3} \w+ ([0-9a-f]{40,64})\t([^\0]+)\0/g);
  return new Map([...files].map(([, mode = '', id = '', path = '']) => [path, { kind: toKind(mode), id }]));
}

/** The kind of a file by the first three digits of its mode. */
export const toKind = (mode: string): TreeFile['kind'] =>
  mode === '100' ? 'file' : mode === '120' ? 'link' : 'submodule';

/** The sizes of objects in bytes, by id; missing ones are left out. */
export async function readSizes(top: string, ids: readonly string[], env: Environment): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { output } = await runGit(['cat-file', '--batch-check'], top, env, { input: `${ids.join('\n')}\n` });
  const lines = output.matchAll(/^([0-9a-f]{40,64}) \w+ (\d+)$/gm);
  return new Map([...lines].map(([, id = '', size]) => [id, Number(size)]));
}

const FILE_MODES = ['100644', '100755', '100664'];

/** The entries of a tree object: mode, space, name, NUL, and the id as bytes. */
function parseTree({ bytes, id: treeId }: GitObject): { mode: string; name: string; id: string }[] {
  const entries: { mode: string; name: string; id: string }[] = [];
  const idBytes = treeId.length / 2;
  for (let offset = 0; offset < bytes.length; ) {
    const end = bytes.indexOf(0, offset);
    if (end < 0) break;
    const [mode = '', ...name] = bytes.toString('utf8', offset, end).split(' ');
    entries.push({ mode, name: name.join(' '), id: bytes.toString('hex', end + 1, end + 1 + idBytes) });
    offset = end + 1 + idBytes;
  }
  return entries;
}
