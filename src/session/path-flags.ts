/** PATH..., --exclude, and --paths-from: the formula folders that a command works on. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { isWithin, realPath, toRelative } from '../files/paths.ts';
import { listAncestors } from '../files/repository.ts';
import { type FolderSelection, findFormulaFolders, isFormulaFolder, type SearchRoot } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import type { SinceSelection } from '../sync/since.ts';
import { createPathMatcher, type PathMatcher } from '../text/glob.ts';
import { toPathArgument } from '../text/shell-quote.ts';
import { resolveFolderRef } from './arguments.ts';

export interface PathFlags {
  exclude?: readonly string[] | undefined;
  pathsFrom?: string | undefined;
}

export interface SinceFlags {
  since?: string | undefined;
}

/** Adds --since; its value is in `SinceFlags`. */
export const withSinceFlag = <Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) =>
  command.option('--since <ref>', 'only formulas that changed since the merge base of REF and HEAD');

/** Adds the flags that select folders; their values are `PathFlags`. */
export function withPathFlags<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .addOption(
      new Option('--exclude <glob>', 'skip matching folders, relative to each PATH; repeatable').argParser(
        (glob: string, before: readonly string[] = []): readonly string[] => [...before, glob],
      ),
    )
    .option('--paths-from <file>', 'read paths from FILE (- for standard input), one per line or NUL-separated');
}

/** The paths, or the current folder if none is passed; for commands that only read. */
export const withDefaultPath = (paths: readonly string[], { pathsFrom }: PathFlags): readonly string[] =>
  paths.length > 0 || pathsFrom !== undefined ? paths : ['.'];

/** The same selection as arguments of another command; undefined if standard input was read for it. */
export function formatPathArguments(
  paths: readonly string[],
  { exclude = [], pathsFrom, since }: PathFlags & SinceFlags,
): readonly string[] | undefined {
  if (pathsFrom === '-') return undefined;
  return [
    ...paths.map(toPathArgument),
    ...exclude.flatMap((glob) => ['--exclude', glob]),
    ...(pathsFrom === undefined ? [] : ['--paths-from', pathsFrom]),
    ...(since === undefined ? [] : ['--since', since]),
  ];
}

interface SelectContext {
  host: Host;
  note: (text: string) => void;
}

/**
 * Finds the formula folders in the paths and in --paths-from, except those of --exclude. A file selects the formula
 * that contains it. Prints a note for each skipped path. Raises usage (2).
 */
export async function selectFolders(
  paths: readonly string[],
  { exclude = [], pathsFrom, since, prune }: PathFlags & SinceFlags & { prune?: boolean },
  { host, note }: SelectContext,
): Promise<FolderSelection & { since?: SinceSelection }> {
  if (paths.length === 0 && pathsFrom === undefined) {
    throw new CliError('usage', "missing required argument 'path'", {
      hint: 'Pass folders of formulas. For the formulas in the current folder, pass a dot (.).',
    });
  }
  const matchers = exclude.map(requireMatcher);
  const isExcluded: PathMatcher = (path) => matchers.some((matches) => matches(path));
  const skip = (path: string, reason: string) => note(escapeControls(`note: skipped ${path}: ${reason}`));
  const listed = pathsFrom === undefined ? [] : splitList(await readList(pathsFrom, host));
  const cwd = host.cwd();
  // Patterns are relative to a PATH that is a folder, otherwise to the current folder.
  const inCurrentFolder = (root: SearchRoot) => (isExcluded(toRelative(cwd, root.path)) ? [] : [root]);
  const searchRoots = [
    ...paths.flatMap((typed) => {
      if (!isFile(typed, cwd)) return [resolveFolderRef(typed, host, 'PATH')];
      return findContainingFolder(typed, cwd, skip).flatMap(inCurrentFolder);
    }),
    ...listed.flatMap((typed) => resolveListed(typed, host, skip).flatMap(inCurrentFolder)),
  ];
  const roots = searchRoots.map(({ path }) => realPath(path));
  const found = findFormulaFolders(searchRoots, { isExcluded, onSkip: skip });
  const all: FolderSelection = {
    folders: found,
    isEmptyList: paths.length === 0 && listed.length === 0,
    roots,
    isExcluded: (path) => roots.some((root) => isWithin(path, root) && isExcluded(toRelative(root, path))),
  };
  if (since === undefined) return all;
  const { formatRemovedNotes, selectChanged } = await import('./select-changed.ts');
  const changed = await selectChanged(all, since, host);
  for (const line of formatRemovedNotes(changed.since, prune, cwd)) note(escapeControls(line));
  return { ...all, ...changed, isEmptyList: all.isEmptyList || changed.folders.length < found.length };
}

function requireMatcher(glob: string): PathMatcher {
  const matches = createPathMatcher(glob);
  if (matches) return matches;
  throw new CliError('usage', `invalid value "${glob}" for --exclude: must be a folder pattern, for example legacy/*`);
}

async function readList(file: string, host: Host): Promise<string> {
  if (file === '-') return host.readStdin();
  try {
    return readFileSync(resolve(host.cwd(), file), 'utf8');
  } catch (error) {
    throw fileUsageError(`could not read the list of paths ${file}`, error);
  }
}

const splitList = (text: string): string[] => text.split(text.includes('\0') ? '\0' : /\r?\n/).filter(Boolean);

type Skip = (path: string, reason: string) => void;

/** False if the path cannot be read: `resolveFolderRef` raises the error. */
function isFile(typed: string, cwd: string): boolean {
  try {
    return statSync(resolve(cwd, typed)).isFile();
  } catch {
    return false;
  }
}

/** The formula folder that contains a file, if any. */
function findContainingFolder(typed: string, cwd: string, skip: Skip): SearchRoot[] {
  const folder = listAncestors(dirname(resolve(cwd, typed))).find(isFormula);
  if (folder !== undefined) return [{ displayPath: toRelative(cwd, folder) || '.', path: folder }];
  skip(typed, 'not in a formula folder');
  return [];
}

/** A path of --paths-from: unlike a PATH, it may be missing or contain no formula. */
function resolveListed(typed: string, host: Host, skip: Skip): SearchRoot[] {
  if (isFile(typed, host.cwd())) return findContainingFolder(typed, host.cwd(), skip);
  if (statSync(resolve(host.cwd(), typed), { throwIfNoEntry: false }))
    return [{ ...resolveFolderRef(typed, host), mayBeEmpty: true }];
  skip(typed, 'no longer exists');
  return [];
}

function isFormula(folder: string): boolean {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.some(({ name }) => name === 'manifest.json') && isFormulaFolder(folder, entries);
  } catch {
    return false;
  }
}
