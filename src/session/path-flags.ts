/** PATH..., --exclude, and --paths-from: the formula folders that a command works on. */
import { dirname, resolve } from 'node:path';
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { CliError } from '../errors.ts';
import { isWithin, toRealPath, toRelative, toSlashes } from '../files/paths.ts';
import { listAncestors } from '../files/repository.ts';
import { type Folder, type FolderSelection, findFormulaFolders, type SearchRoot } from '../folder/find-folders.ts';
import type { listFolders } from '../folder/find-lockfiles.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import type { CommitTree } from '../sync/commit-folders.ts';
import type { SinceSelection } from '../sync/since.ts';
import { findIgnoredFolders } from '../sync/skipped-folders.ts';
import { createPathMatcher, type PathMatcher } from '../text/glob.ts';
import { toPathArgument } from '../text/shell-quote.ts';
import { type ListContext, readPathList, resolvePathList } from './path-list.ts';
import { createDiskLookup, openLookupAt } from './path-lookup.ts';
import type { Session } from './session.ts';

export interface PathFlags {
  exclude?: readonly string[] | undefined;
  pathsFrom?: string | undefined;
  /** The lines of --paths-from, if they were read already. */
  pathList?: readonly string[] | undefined;
}

export interface SinceFlags {
  since?: string | undefined;
  at?: string | undefined;
}

/** Adds --since; its value is in `SinceFlags`. */
export const withSinceFlag = <Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) =>
  command.option('--since <ref>', 'only formulas that changed since the merge base of REF and HEAD');

/** Adds --at, for commands that send folders; its value is in `SinceFlags`. */
export const withAtFlag = <Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) =>
  command.option('--at <ref>', 'the folders as they are in the commit of REF; the working tree is not changed');

/** Adds the flags that select folders; their values are `PathFlags`. */
export function withPathFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .addOption(
      new Option(
        '--exclude <glob>',
        'skip matching folders, relative to each PATH or to the current folder; repeatable',
      ).argParser((glob: string, before: readonly string[] = []): readonly string[] => [...before, glob]),
    )
    .option('--paths-from <file>', 'read paths from FILE (- for standard input), one per line or NUL-separated');
}

/** The paths, or the current folder if none is passed; for commands that only read. */
export const withDefaultPath = (paths: readonly string[], { pathsFrom }: PathFlags): readonly string[] =>
  paths.length > 0 || pathsFrom !== undefined ? paths : ['.'];

/** Reads --paths-from before a command handles signals itself: until then, Ctrl-C ends the wait for a pipe. */
export async function withPathList<Flags extends PathFlags>(flags: Flags, host: Host): Promise<Flags> {
  return flags.pathsFrom === undefined || flags.pathList
    ? flags
    : { ...flags, pathList: await readPathList(flags.pathsFrom, host) };
}

/** The same selection as arguments of another command; undefined if standard input was read for it. */
export function formatPathArguments(
  paths: readonly string[],
  { exclude = [], pathsFrom, since, at }: PathFlags & SinceFlags,
): readonly string[] | undefined {
  if (pathsFrom === '-') return undefined;
  return [
    ...paths.map(toPathArgument),
    ...exclude.flatMap((glob) => ['--exclude', glob]),
    ...(pathsFrom === undefined ? [] : ['--paths-from', pathsFrom]),
    ...(since === undefined ? [] : ['--since', since]),
    ...(at === undefined ? [] : ['--at', at]),
  ];
}

interface SelectOptions {
  prune?: boolean;
  /** Also selects the folders that git ignores, and those in git repositories of their own. */
  withSkipped?: boolean;
}

/**
 * Finds the formula folders in the paths and in --paths-from, except those of --exclude. A file selects the formula
 * that contains it. Prints a note for each skipped path. Raises usage (2).
 */
export async function selectFolders(
  paths: readonly string[],
  { exclude = [], pathsFrom, pathList, since, at, prune, withSkipped }: PathFlags & SinceFlags & SelectOptions,
  { host, note }: Pick<Session, 'host' | 'note'>,
): Promise<FolderSelection & { since?: SinceSelection; at: CommitTree | undefined }> {
  if (paths.length === 0 && pathsFrom === undefined) {
    throw new CliError('usage', "missing required argument 'path'", {
      hint: 'Pass folders of formulas. For the formulas in the current folder, pass a dot (.).',
    });
  }
  const skip = (path: string, reason: string) => note(escapeControls(`note: skipped ${path}: ${reason}`));
  const warn = (text: string) => note(escapeControls(text));
  const exclusion = createExclusion(exclude, host.cwd());
  const { pathList: lines = [] } = await withPathList<PathFlags>({ pathsFrom, pathList }, host);
  const lookup = at === undefined ? createDiskLookup(host) : await openLookupAt(paths, at, host);
  const cwd = lookup.toPath(host.cwd());
  const listed = lines.length === 0 ? [] : await resolvePathList(lines, host, { skip, warn, lookup });
  const toRoots = (root: SearchRoot): SearchRoot[] => {
    const path = lookup.toPath(resolve(host.cwd(), root.path));
    if (!lookup.isFile(path)) return [{ ...root, path: lookup.requireFolder(root.path, path) }];
    const folder = listAncestors(dirname(path)).find(lookup.isFormulaFolder);
    if (folder !== undefined) return [{ displayPath: toRelative(cwd, folder) || '.', path: folder }];
    skip(root.displayPath, 'not in a formula folder');
    return [];
  };
  const typedRoots = paths.map((path) => ({ displayPath: toSlashes(path), path })).flatMap(toRoots);
  const listedRoots = listed.map((one) => ({ ...one, mayBeEmpty: true })).flatMap(toRoots);
  const searchRoots = removeRepeated([...typedRoots, ...listedRoots]);
  const search = { ...exclusion, onSkip: skip, entersRepositories: withSkipped ?? false, at: lookup.at };
  const found = findFormulaFolders(searchRoots, search);
  const searched = paths.length > 0 ? typedRoots.map(({ path }) => path) : [cwd];
  const unmatched = exclusion.findUnmatched(searched, lookup.listFolders);
  const place = `${paths.join(', ') || 'the current folder'}${formatAt(at)}`;
  for (const glob of unmatched) warn(`warning: --exclude ${glob} matches no folder in ${place}`);
  const folders = withSkipped || lookup.at ? found : await removeIgnored(found, searchRoots, host, { skip, warn });
  const roots = searchRoots.map(({ path }) => toRealPath(path));
  const all = {
    folders,
    isEmptyList: paths.length === 0 && lines.length === 0,
    roots,
    isExcluded: (path: string) => roots.some((root) => isWithin(path, root) && exclusion.isExcluded(path, root)),
    at: lookup.at,
  };
  if (since === undefined) return all;
  const { formatRemovedNotes, selectChanged } = await import('./select-changed.ts');
  const changed = await selectChanged(all, since, host);
  for (const line of formatRemovedNotes(changed.since, prune, cwd)) note(escapeControls(line));
  return { ...all, ...changed, isEmptyList: all.isEmptyList || changed.folders.length < found.length };
}

const formatAt = (reference: string | undefined) => (reference === undefined ? '' : ` at ${reference}`);

/** A list has a line for each file of a folder. */
function removeRepeated(roots: readonly SearchRoot[]): SearchRoot[] {
  const byPath = new Map<string, SearchRoot>();
  for (const root of roots) if (!byPath.has(root.path)) byPath.set(root.path, root);
  return [...byPath.values()];
}

/** Of the folders that a search found, not those that git ignores, unless the search began in an ignored folder. */
async function removeIgnored(
  found: readonly Folder[],
  searchRoots: readonly SearchRoot[],
  { env }: Host,
  { skip, warn }: Pick<ListContext, 'skip' | 'warn'>,
): Promise<readonly Folder[]> {
  const named = new Set(searchRoots.map(({ path }) => path));
  const candidates = found.filter(({ path, isMisnamed }) => !named.has(path) && !isMisnamed);
  if (candidates.length === 0) return found;
  const isBelow = (path: string) => (root: SearchRoot) => path !== root.path && isWithin(path, root.path);
  const containing = searchRoots.filter((root) => candidates.some(({ path }) => isBelow(path)(root)));
  const paths = await findIgnoredFolders(
    [...candidates, ...containing].map(({ path }) => path),
    env,
  );
  if (paths === 'failed') {
    warn('warning: git could not tell which folders it ignores, so none is skipped');
    return found;
  }
  const isIgnored = ({ path }: Folder) =>
    paths.has(path) && !named.has(path) && !containing.some((root) => paths.has(root.path) && isBelow(path)(root));
  for (const { displayPath } of found.filter(isIgnored)) skip(displayPath, 'git ignores it');
  return found.filter((folder) => !isIgnored(folder));
}

/** --exclude: folders that a search leaves out. */
interface Exclusion {
  /** Whether a folder is excluded, by its path relative to the root of the search, or to the current folder. */
  isExcluded(path: string, root: string): boolean;
  /** The patterns that match no folder in the roots; `list` lists the folders of a root. */
  findUnmatched(roots: readonly string[], list: typeof listFolders): string[];
}

/** All paths are absolute. Raises usage (2) for an empty pattern. */
function createExclusion(globs: readonly string[], cwd: string): Exclusion {
  const matchers = globs.map(requireMatcher);
  const unmatched = new Set(globs);
  const isMatched = (matches: PathMatcher, path: string, root: string) =>
    (path !== root && matches(toRelative(root, path))) || (isWithin(path, cwd) && matches(toRelative(cwd, path)));
  return {
    isExcluded: (path, root) =>
      matchers.some((matches, i) => {
        if (!isMatched(matches, path, root)) return false;
        unmatched.delete(globs[i] ?? '');
        return true;
      }),
    findUnmatched: (roots, list) => {
      if (unmatched.size === 0) return [];
      // The search does not read excluded folders, which may contain what other patterns match.
      const lists = roots.map((root) => ({ root, ...list(root) }));
      const isFound = (glob: string) =>
        lists.some(
          ({ root, folders, isComplete }) =>
            !isComplete || folders.some((path) => isMatched(requireMatcher(glob), path, root)),
        );
      return [...unmatched].filter((glob) => !isFound(glob));
    },
  };
}

function requireMatcher(glob: string): PathMatcher {
  const matches = createPathMatcher(glob);
  if (matches) return matches;
  throw new CliError('usage', `invalid value "${glob}" for --exclude: must be a folder pattern, for example legacy/*`);
}
