/** Finds the formula folders in the paths of the command line. */
import { isUtf8 } from 'node:buffer';
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { findRealPath, toDisplayPath } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { tryListNames } from '../files/try-stat.ts';
import { CODE_FILES } from './read.ts';

/** A folder as passed on the command line, and its path. */
export interface Folder {
  displayPath: string;
  path: string;
  /** Whether a name on its path is not UTF-8; it cannot be read then, and both names are for messages only. */
  isMisnamed?: boolean;
}

/** A folder to search; it may be allowed to contain no formula. */
export interface SearchRoot extends Folder {
  mayBeEmpty?: boolean;
}

/** Whether the search skips a path, relative to its root. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((name) => name.startsWith('.') || name === 'node_modules');

/** A commit that is searched in place of the disk. All paths are absolute. */
export interface SearchedCommit {
  /** As passed. */
  reference: string;
  listEntries(path: string): readonly Entry[];
  isFormulaFolder(path: string): boolean;
}

type Entry = Pick<Dirent, 'name' | 'isDirectory'>;

/** The exclusions of a search. */
export interface Search {
  at?: SearchedCommit | undefined;
  /** Whether a folder, and all folders in it, are excluded from the search of a root. Both paths are absolute. */
  isExcluded?: (path: string, root: string) => boolean;
  /** Also searches the git repositories in the roots, such as linked worktrees. */
  entersRepositories?: boolean;
  /** Called with each skipped path and the reason. */
  onSkip?: (path: string, reason: string) => void;
}

/**
 * The formula folders (those with a manifest.json) in the roots, sorted by name; node_modules, dot folders, and
 * repositories of their own are skipped, and a folder that is found twice counts once. A root with code but no manifest counts too, so that the missing
 * manifest is reported. Raises usage (2) for a root without a formula, unless that is allowed or folders were excluded.
 */
export function findFormulaFolders(roots: readonly SearchRoot[], search: Search = {}): Folder[] {
  const [first, ...others] = roots;
  // Links are not followed, so one root has no folder twice.
  if (first && others.length === 0) return searchRoot(first, search);
  const byRealPath = new Map<string, Folder>();
  for (const formula of roots.flatMap((root) => searchRoot(root, search))) {
    const real = formula.isMisnamed ? undefined : findRealPath(formula.path);
    const key = search.at ? formula.path : (real ?? `not UTF-8: ${formula.path}`);
    if (!byRealPath.has(key)) byRealPath.set(key, formula);
  }
  return [...byRealPath.values()];
}

function searchRoot(root: SearchRoot, search: Search): Folder[] {
  if (search.isExcluded?.(root.path, root.path)) return [];
  const walk: Walk = { root: root.path, hasExcluded: false, ...search };
  const found = findFormulas(root, walk);
  if (found.length > 0 || walk.hasExcluded) return found;
  if (!root.mayBeEmpty) {
    const { displayPath } = root;
    const searched = search.at ? `${displayPath} at ${search.at.reference}` : displayPath;
    throw new CliError('usage', `no formula in ${searched}: no folder contains a manifest.json`, {
      hint: search.at ? undefined : 'To create a formula folder, run: formulary formula init DIR',
    });
  }
  search.onSkip?.(root.displayPath, 'not in a formula folder');
  return [];
}

/** The state of one search. */
interface Walk extends Search {
  root: string;
  hasExcluded: boolean;
}

/** Any kind of entry counts: a rule reports a manifest.json that is a folder or a broken link. */
function findFormulas(folder: Folder, walk: Walk): Folder[] {
  const entries = listEntries(folder, walk.at);
  const isFormulaLike = entries.some(({ name }) => name === 'manifest.json' || CODE_FILES.includes(name));
  return isFormulaLike ? [folder] : findBelow(folder, entries, walk);
}

/** The formula folders in a folder, at any depth. Raises usage (2) for a folder that cannot be read. */
export const findNestedFolders = (folder: Folder): Folder[] =>
  findBelow(folder, listEntries(folder), { root: folder.path, hasExcluded: false }).filter(
    ({ isMisnamed }) => !isMisnamed,
  );

function findBelow({ displayPath, path }: Folder, all: readonly Entry[], walk: Walk): Folder[] {
  const entries = all.filter(({ name }) => walk.at || !mayBeMisnamed(name) || existsSync(join(path, name)));
  const misnamed = entries.length < all.length ? findMisnamedBelow({ displayPath, path }) : [];
  const found = entries
    .filter((entry) => entry.isDirectory() && !isHidden(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }): Folder[] => {
      const folder = { displayPath: toDisplayPath(displayPath, name), path: join(path, name) };
      if (walk.isExcluded?.(folder.path, walk.root)) {
        walk.hasExcluded = true;
        return [];
      }
      const inside = listEntries(folder, walk.at);
      if (inside.some((entry) => entry.name === '.git') && !walk.entersRepositories) {
        walk.onSkip?.(folder.displayPath, 'a git repository of its own');
        walk.hasExcluded = true;
        return [];
      }
      return [...(isFormula(folder, inside, walk) ? [folder] : []), ...findBelow(folder, inside, walk)];
    });
  return [...found, ...misnamed];
}

function isFormula(folder: Folder, entries: readonly Entry[], { at, onSkip }: Walk): boolean {
  const names = entries.map(({ name }) => name);
  if (!names.includes('manifest.json')) return false;
  if (at ? at.isFormulaFolder(folder.path) : hasFormulaManifest(folder.path, names)) return true;
  onSkip?.(toDisplayPath(folder.displayPath, 'manifest.json'), 'not the manifest of a formula');
  return false;
}

const FORMULA_KEYS = ['type', 'configuration', 'request_parameters'];

/** Whether a folder (absolute) is that of a formula; false if it cannot be read. */
export function isFormulaFolder(path: string): boolean {
  const names = tryListNames(path);
  return names.includes('manifest.json') && hasFormulaManifest(path, names);
}

/** Whether a folder with a manifest.json is a formula: web apps have a file of that name too. */
const hasFormulaManifest = (path: string, names: readonly string[]): boolean =>
  CODE_FILES.some((name) => names.includes(name)) ||
  isFormulaManifest(() => readRegularFile(join(path, 'manifest.json')));

/** Whether a manifest without code next to it is that of a formula. A rule reports one that cannot be read, or is not JSON. */
export function isFormulaManifest(read: () => Buffer): boolean {
  const manifest: unknown = attempt(() => JSON.parse(read().toString('utf8')));
  return typeof manifest !== 'object' || manifest === null || FORMULA_KEYS.some((key) => Object.hasOwn(manifest, key));
}

function findMisnamedBelow({ displayPath, path }: Folder): Folder[] {
  return withReadError(displayPath, () =>
    findMisnamed(Buffer.from(path).toString('latin1')).map((found) => {
      const shown = found.split('/').map(toDisplayName).join('/');
      return { displayPath: toDisplayPath(displayPath, shown), path: join(path, shown), isMisnamed: true };
    }),
  );
}

const listEntries = ({ displayPath, path }: Folder, at?: SearchedCommit): readonly Entry[] =>
  at ? at.listEntries(path) : withReadError(displayPath, () => readdirSync(path, { withFileTypes: true }));

/** A folder that cannot be read may contain formulas, so it is an error. */
function withReadError<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fileUsageError(
      `could not read the folder ${label}`,
      error,
      'Change its permissions, or pass the formula folders one by one.',
    );
  }
}

/** Node.js replaces bytes that are not UTF-8 with this, so the resulting path does not exist. */
const REPLACEMENT = '\ufffd';

export const mayBeMisnamed = (name: string): boolean => name.includes(REPLACEMENT);

/**
 * The formula folders in a folder, at or below a name that is not UTF-8. All paths are bytes as Latin-1. Throws the file
 * system's error.
 */
function findMisnamed(folder: string, isBelow = false): string[] {
  return readdirSync(toBytes(folder), { withFileTypes: true, encoding: 'latin1' })
    .filter((entry) => entry.isDirectory() && !isHidden(entry.name) && (isBelow || !isUtf8(toBytes(entry.name))))
    .flatMap(({ name }) => {
      const path = `${folder}/${name}`;
      const inside = findMisnamed(path, true).map((found) => `${name}/${found}`);
      return existsSync(toBytes(`${path}/manifest.json`)) ? [name, ...inside] : inside;
    })
    .sort();
}

const toBytes = (name: string) => Buffer.from(name, 'latin1');

/** With `\xff` for each byte that is not ASCII, if the name is not UTF-8. */
const toDisplayName = (name: string): string =>
  isUtf8(toBytes(name)) ? toBytes(name).toString() : name.replace(/[^\0-\x7f]/g, escapeByte);

const escapeByte = (character: string) => `\\x${character.charCodeAt(0).toString(16)}`;

/** The formula folders that the arguments of a command select. */
export interface FolderSelection {
  folders: readonly Folder[];
  /** Whether the paths come from an empty list, which is not an error. */
  isEmptyList: boolean;
  /** The folders that were searched, by their real paths. */
  roots: readonly string[];
  /** Whether --exclude leaves out a folder of a root, which need not exist; by its real path. */
  isExcluded(path: string): boolean;
}
