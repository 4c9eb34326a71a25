/** Formula folders as they are in a commit: found, read, and checked without touching the working tree. */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findPackageFile, hasPackages } from '../check/changed-folders.ts';
import { type CheckResult, shouldBundle } from '../check/check-folder.ts';
import { checkFolders } from '../check/check-folders.ts';
import { isWithin, toRelative } from '../files/paths.ts';
import { findWorkingCopy } from '../files/repository.ts';
import { type Folder, isFormulaManifest, type SearchedCommit } from '../folder/find-folders.ts';
import {
  CODE_FILES,
  type FileRead,
  type FolderContents,
  type FolderEntry,
  isFormulaFile,
  isIconName,
  readFolder,
  toContents,
} from '../folder/read.ts';
import { findCommit, type ReferenceProblem } from '../git/changes.ts';
import { listTree, readObjects, type TreeFile } from '../git/objects.ts';
import type { Environment } from '../git/run-git.ts';
import type { Host } from '../host/host.ts';
import { sha256 } from '../text/hash.ts';
import { createCommitBundler, type Overlay } from './push/commit-bundles.ts';
import { findPointerHash } from './push/compare-version.ts';
import { createReferenceError } from './reference-error.ts';

/** The files of a commit. */
interface CommitFiles {
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

/** A commit whose formula folders are found, read, and checked like those of the disk. */
export interface CommitTree extends CommitFiles, SearchedCommit {
  readFolders(folders: readonly Folder[]): Promise<Map<string, FolderContents>>;
  /** Imports are bundled with the installed packages. */
  checkFolders: typeof checkFolders;
}

interface UsedReference {
  flag: '--at' | '--compare';
  reference: string;
  /** The reference in messages about folders. */
  shownReference?: string | undefined;
}

/** Opens a commit of the repository of a folder (absolute and real). Raises usage (2) with the command that fixes it. */
export async function openCommit(
  folder: string,
  { flag, reference, shownReference = reference }: UsedReference,
  host: Host,
): Promise<CommitTree> {
  const { env } = host;
  const top = findWorkingCopy(folder);
  const fail = (problem: ReferenceProblem) =>
    createReferenceError(problem, { flag, reference, folder: top ?? folder }, host);
  if (top === undefined) throw fail({ kind: 'not-a-repository' });
  const found = await findCommit(top, reference, env);
  if ('problem' in found) throw fail(found.problem);
  const files = await listTree(top, found.commit, env).catch(({ message }: Error) => {
    throw fail({ kind: 'failed', error: message });
  });
  const folders = indexFolders(files);
  const others = await findOtherManifests(top, files, folders, env);
  const findEntries = (path: string) => folders.get(toRelative(top, path));
  const tree = { reference: shownReference, commit: found.commit, top, files, folders };
  return {
    ...tree,
    readFolders: (selected) => readFolders(tree, selected, env),
    checkFolders: createCheck(tree, host),
    listEntries: (path) =>
      [...(findEntries(path)?.values() ?? [])].map(({ name, kind }) => ({
        name,
        isDirectory: () => kind === 'folder',
      })),
    isFormulaFolder: (path) => (findEntries(path)?.has('manifest.json') && !others.has(toRelative(top, path))) ?? false,
  };
}

function indexFolders(files: CommitFiles['files']): Map<string, Map<string, FolderEntry>> {
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

/** The folders whose manifest.json, without code next to it, is not that of a formula. */
async function findOtherManifests(
  top: string,
  files: CommitFiles['files'],
  folders: CommitFiles['folders'],
  env: Environment,
): Promise<Set<string>> {
  const manifests = [...folders].flatMap(([folder, entries]) => {
    const isDoubtful = entries.has('manifest.json') && !CODE_FILES.some((name) => entries.has(name));
    return isDoubtful ? [{ folder, id: files.get(posix.join(folder, 'manifest.json'))?.id ?? '' }] : [];
  });
  const blobs = await readObjects(top, [...new Set(manifests.map(({ id }) => id))].filter(Boolean), env);
  const isOther = (bytes: Buffer | undefined) => bytes && !isFormulaManifest(() => bytes);
  return new Set(manifests.filter(({ id }) => isOther(blobs.get(id)?.bytes)).map(({ folder }) => folder));
}

/** The contents of folders of the commit, by path. */
async function readFolders(
  { reference, top, files, folders }: CommitFiles,
  selected: readonly Folder[],
  env: Environment,
): Promise<Map<string, FolderContents>> {
  const wanted = selected.map(({ path, displayPath: folder }) => {
    const base = toRelative(top, path);
    const find = (name: string) => files.get(posix.join(base, name));
    const entries = [...(folders.get(base)?.values() ?? [])];
    const inTests = [...(folders.get(posix.join(base, 'tests'))?.keys() ?? [])];
    const tests = inTests.filter((name) => name.endsWith('.json')).map((name) => `tests/${name}`);
    return { path, folder, entries, tests, find };
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
    wanted.map(({ path, folder, entries, tests, find }) => {
      const readFile = (name: string) => read(path, name, find(name));
      return [path, { ...toContents(entries, readFile), folder, tests: tests.map(readFile) }];
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

const createCheck = (tree: CommitFiles, host: Host): typeof checkFolders =>
  async function* (folders, options) {
    const bundler = createCommitBundler(tree.top, host);
    for (let i = 0; i < folders.length; i += MAX_FOLDERS) {
      const some = folders.slice(i, i + MAX_FOLDERS);
      const contents = await readFolders(tree, some, host.env);
      const isBundled = [...contents.values()].some(shouldBundle);
      const overlay = isBundled ? await bundler.readOverlay(tree.commit) : undefined;
      const bundleContext = { ...options.bundleContext, ...(overlay && { changed: overlay.files }) };
      const read = ({ path }: Folder) => contents.get(path) as FolderContents;
      let next = 0;
      for await (const checked of checkFolders(some, { ...options, bundleContext, read })) {
        const { path } = some[next++] as Folder;
        const { file } = (contents.get(path) as FolderContents).code;
        const problem = findBundleProblem(checked, { path, file }, overlay, tree.top);
        yield problem === undefined ? checked : withBundleError(checked, file, problem, tree.reference);
      }
    }
  };

const withBundleError = (checked: CheckResult, file: string, problem: string, reference: string): CheckResult => {
  const message = `cannot bundle the version of ${reference}: ${problem}`;
  const fix = `Push it from a working tree of its own: git worktree add DIR ${reference}`;
  const place = { file, line: 1, column: 1 };
  const findings = [{ ...place, level: 'error', rule: 'code-bundle', message, fix } as const, ...checked.findings];
  return { ...checked, findings, body: undefined };
};

/** Why the bundle is not known to be that of the commit. */
function findBundleProblem(
  { bundle }: CheckResult,
  { path, file }: { path: string; file: string },
  overlay: Overlay | undefined,
  top: string,
): string | undefined {
  if (file === 'code.js') return undefined;
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
