/** Formula folders as they are in a commit: found, read, and checked without touching the working tree. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findPackageFile, hasPackages } from '../check/changed-folders.ts';
import { type CheckResult, shouldBundle } from '../check/check-folder.ts';
import { checkFolders } from '../check/check-folders.ts';
import { CliError } from '../errors.ts';
import { isWithin, toDisplayPath, toRelative } from '../files/paths.ts';
import { findWorkingCopy, listAncestors } from '../files/repository.ts';
import { type Folder, isFormulaManifest, isHidden, type Search, type SearchRoot } from '../folder/find-folders.ts';
import {
  CODE_FILES,
  type FileRead,
  type FolderContents,
  type FolderEntry,
  isIconName,
  readFolder,
  toContents,
} from '../folder/read.ts';
import { findCommit } from '../git/changes.ts';
import { listTree, readObjects, type TreeFile } from '../git/objects.ts';
import type { Host } from '../host/host.ts';
import { sha256 } from '../text/hash.ts';
import { createCommitBundler, type Overlay } from './push/commit-bundles.ts';
import { findPointerHash, isFormulaFile } from './push/compare-version.ts';
import { createReferenceError } from './reference-error.ts';

/** The files of a commit. */
export interface CommitTree {
  /** As passed. */
  reference: string;
  commit: string;
  /** The top of the repository (absolute and real). */
  top: string;
  /** By path, relative to the top and with `/`. */
  files: ReadonlyMap<string, TreeFile>;
  /** The entries of each folder, by its path likewise; '' is the top. */
  folders: ReadonlyMap<string, ReadonlyMap<string, FolderEntry>>;
}

/** Opens a commit of the repository of a folder (absolute and real). Raises usage (2) with the command that fixes it. */
export async function openCommit(
  folder: string,
  { flag, reference }: { flag: '--at' | '--compare'; reference: string },
  host: Host,
): Promise<CommitTree> {
  const top = findWorkingCopy(folder);
  const used = { flag, reference, folder: top ?? folder };
  if (top === undefined) throw createReferenceError({ kind: 'not-a-repository' }, used, host);
  const found = await findCommit(top, reference, host.env);
  if ('problem' in found) throw createReferenceError(found.problem, used, host);
  try {
    const files = await listTree(top, found.commit, host.env);
    return { reference, commit: found.commit, top, files, folders: indexFolders(files) };
  } catch (error) {
    throw createReferenceError({ kind: 'failed', error: (error as Error).message }, used, host);
  }
}

function indexFolders(files: CommitTree['files']): Map<string, Map<string, FolderEntry>> {
  const folders = new Map<string, Map<string, FolderEntry>>([['', new Map()]]);
  const add = (path: string, kind: FolderEntry['kind']): void => {
    const parent = path.includes('/') ? posix.dirname(path) : '';
    const entries = folders.get(parent) ?? new Map<string, FolderEntry>();
    if (!folders.has(parent)) add(parent, 'folder');
    folders.set(parent, entries.set(posix.basename(path), { name: posix.basename(path), kind }));
  };
  for (const [path, { kind }] of files) add(path, kind === 'submodule' ? 'folder' : 'file');
  return folders;
}

/** The formula folders of the commit in the roots, as `findFormulaFolders` finds those of the disk. */
export async function findCommitFolders(
  tree: CommitTree,
  roots: readonly SearchRoot[],
  search: Search,
  host: Host,
): Promise<Folder[]> {
  const found = new Map<string, Folder>();
  for (const root of roots) {
    for (const folder of await searchRoot(tree, root, search, host))
      if (!found.has(folder.path)) found.set(folder.path, folder);
  }
  return [...found.values()];
}

async function searchRoot(
  { reference, top, files, folders }: CommitTree,
  root: SearchRoot,
  { isExcluded = () => false, onSkip }: Search,
  { env }: Host,
): Promise<Folder[]> {
  const start = toRelative(top, root.path);
  const has = (folder: string, ...names: readonly string[]) => names.some((name) => folders.get(folder)?.has(name));
  if (isExcluded(root.path, root.path)) return [];
  if (has(start, 'manifest.json', ...CODE_FILES)) return [root];
  const toBelow = (folder: string) => (start === '' ? folder : folder.slice(start.length + 1));
  const all = [...folders.keys()]
    .filter((folder) => folder !== start && (start === '' || folder.startsWith(`${start}/`)))
    .filter((folder) => has(folder, 'manifest.json') && !isHidden(toBelow(folder)));
  if (all.length === 0 && !root.mayBeEmpty)
    throw new CliError(
      'usage',
      `no formula in ${root.displayPath} at ${reference}: no folder contains a manifest.json`,
    );
  const isSelected = (folder: string) =>
    listAncestors(join(top, folder)).every((path) => !isWithin(path, root.path) || !isExcluded(path, root.path));
  const found = all.filter(isSelected).sort();
  const toId = (folder: string) => files.get(`${folder}/manifest.json`)?.id ?? '';
  const doubtful = found.filter((folder) => !has(folder, ...CODE_FILES));
  const manifests = await readObjects(top, doubtful.map(toId), env);
  const others = new Set(
    doubtful.filter((folder) => {
      const manifest = manifests.get(toId(folder));
      return manifest !== undefined && !isFormulaManifest(manifest.bytes);
    }),
  );
  return found.flatMap((folder): Folder[] => {
    const displayPath = toDisplayPath(root.displayPath, toBelow(folder));
    if (!others.has(folder)) return [{ displayPath, path: join(top, folder) }];
    onSkip?.(`${displayPath}/manifest.json`, 'not the manifest of a formula');
    return [];
  });
}

/** The contents of folders of the commit, by path. */
export async function readCommitFolders(
  { reference, top, files, folders }: CommitTree,
  selected: readonly Folder[],
  { env }: Pick<Host, 'env'>,
): Promise<Map<string, FolderContents>> {
  const wanted = selected.map(({ path, displayPath }) => {
    const folder = toRelative(top, path);
    const find = (name: string) => files.get(folder === '' ? name : `${folder}/${name}`);
    const entries = [...(folders.get(folder)?.values() ?? [])];
    const inTests = [...(folders.get(folder === '' ? 'tests' : `${folder}/tests`)?.keys() ?? [])];
    const tests = inTests.filter((name) => name.endsWith('.json')).map((name) => `tests/${name}`);
    return { path, displayPath, entries, tests, find };
  });
  const ids = wanted.flatMap(({ entries, tests, find }) =>
    [...entries.map(({ name }) => name).filter(isFormulaFile), ...tests].flatMap((name) => find(name)?.id ?? []),
  );
  const blobs = await readObjects(top, [...new Set(ids)], env);
  const read = (path: string, name: string, file: TreeFile | undefined): FileRead => {
    if (!file) return { state: 'missing', file: name };
    const bytes = file.kind === 'file' ? blobs.get(file.id)?.bytes : undefined;
    if (bytes) return { state: 'read', file: name, bytes: resolvePointer(bytes, path, name) };
    const reason = file.kind === 'link' ? 'it is a symbolic link' : 'git does not have it, or it is larger than 32 MiB';
    return { state: 'unreadable', file: name, reason: `${reason} at ${reference}` };
  };
  return new Map(
    wanted.map(({ path, displayPath, entries, tests, find }) => {
      const contents = toContents(entries, (name) => read(path, name, find(name)));
      return [path, { ...contents, folder: displayPath, tests: tests.map((name) => read(path, name, find(name))) }];
    }),
  );
}

/** With Git LFS, the icon of the disk takes the place of a pointer to it. */
function resolvePointer(bytes: Buffer, path: string, name: string): Buffer {
  const hash = isIconName(name) ? findPointerHash(bytes) : undefined;
  if (hash === undefined) return bytes;
  const icons = existsSync(path) ? readFolder(path).icons : [];
  const same = icons.find((icon) => icon.state === 'read' && sha256(icon.bytes).toString('hex') === hash);
  return same?.state === 'read' ? same.bytes : bytes;
}

/** Limits how many folders are in memory at once. */
const MAX_FOLDERS = 250;

/** Checks folders of the commit, as `checkFolders` does those of the disk; imports are bundled with the installed packages. */
export const createCommitCheck = (tree: CommitTree, host: Host): typeof checkFolders =>
  async function* (folders, options) {
    const bundler = createCommitBundler(tree.top, host);
    for (let i = 0; i < folders.length; i += MAX_FOLDERS) {
      const some = folders.slice(i, i + MAX_FOLDERS);
      const contents = await readCommitFolders(tree, some, host);
      const isBundled = [...contents.values()].some(shouldBundle);
      const overlay = isBundled ? await bundler.readOverlay(tree.commit) : undefined;
      const bundleContext = { ...options.bundleContext, ...(overlay && { changed: overlay.files }) };
      const read = ({ path }: Folder) => contents.get(path) as FolderContents;
      let next = 0;
      for await (const checked of checkFolders(some, { ...options, bundleContext, read })) {
        const { path } = some[next++] as Folder;
        const { code } = contents.get(path) as FolderContents;
        yield code.file === 'code.js'
          ? checked
          : requireSamePackages(checked, { path, code: code.file }, overlay, tree);
      }
    }
  };

/** The result, with an error if the bundle is not known to be that of the commit. */
function requireSamePackages(
  checked: CheckResult,
  { path, code }: { path: string; code: string },
  overlay: Overlay | undefined,
  { reference, top }: CommitTree,
): CheckResult {
  const problem = findBundleProblem(checked, path, overlay, top);
  if (problem === undefined) return checked;
  const finding: CheckResult['findings'][number] = {
    ...{ file: code, line: 1, column: 1, level: 'error', rule: 'code-bundle' },
    message: `cannot bundle the version of ${reference}: ${problem}`,
    fix: `Push it from a working tree of its own: git worktree add DIR ${reference}`,
  };
  return { ...checked, findings: [finding, ...checked.findings], body: undefined };
}

function findBundleProblem({ bundle }: CheckResult, path: string, overlay: Overlay | undefined, top: string) {
  if (!overlay) return 'more than 16 MiB of files differ, or git could not tell which';
  const { files, submodules } = overlay;
  const sources = [...(bundle?.sources.keys() ?? [])].map((file) => join(path, file));
  if (sources.some((file) => submodules.some((submodule) => isWithin(file, submodule))))
    return 'it imports files of a submodule that differs';
  const changed = findPackageFile(path, top, (file) => files.has(file));
  const mayContainPackages = !bundle || hasPackages(bundle.code);
  return changed !== undefined && mayContainPackages
    ? `it imports packages, and ${toRelative(top, changed)} differs`
    : undefined;
}
