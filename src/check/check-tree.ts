/** All formula folders under the given paths, checked; for commands that compare or send them. */
import { CliError } from '../errors.ts';
import { findRealPath, realPath } from '../files/paths.ts';
import { findFormulaFolders, type Place } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import type { Finding } from '../rules/rule.ts';
import { surroundingsFrom } from '../state/xdg-paths.ts';
import { keepWithin } from './body-cache.ts';
import type { Content } from './check-folder.ts';
import type { TimedJudged } from './check-folders.ts';
import { keepChecked, readChecked } from './clean-cache.ts';
import type { LocalFormula } from './local-formula.ts';

/** A folder with its findings; `local` unless it is invalid. */
export interface TreeFormula {
  folder: string;
  path: string;
  name: string | null;
  findings: readonly Finding[];
  /** How long the check took. */
  durationMs: number;
  local: LocalFormula | undefined;
}

export interface Tree {
  /** The given paths, absolute and real. */
  roots: readonly string[];
  formulas: readonly TreeFormula[];
  /** Saves which folders are without findings, if there are enough that the next push gains by it. */
  saveClean(): void;
}

/** Checking fewer folders takes no longer than saving that they are clean. */
const MIN_SAVED_FOLDERS = 20;
/** Bodies stay in memory from the check until they are sent, up to this many characters and folders. */
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;
const MAX_CACHED_FOLDERS = 2000;

/**
 * Finds and checks all folders; `onChecked` is called for each, in order. Raises usage (2) for a path that has no
 * formula, interrupted (130 or 143) after a signal.
 */
export async function checkTree(
  places: readonly Place[],
  host: Host,
  onChecked: (checked: TimedJudged) => Promise<void>,
): Promise<Tree> {
  const { judgeMany } = await import('./check-folders.ts');
  const found = findFormulaFolders(places);
  const formulas: TreeFormula[] = [];
  const areMany = found.length >= MIN_SAVED_FOLDERS;
  const cacheBody = keepWithin(found.length > MAX_CACHED_FOLDERS ? 0 : MAX_CACHED_CHARACTERS);
  const flawless = areMany ? readChecked(host) : new Set<string>();
  for await (const checked of judgeMany(found, { surroundings: surroundingsFrom(host), withContent: true, flawless })) {
    if (host.stopping.aborted) {
      throw new CliError(
        'interrupted',
        'interrupted while the folders were checked: nothing was done, nothing was sent',
      );
    }
    await onChecked(checked);
    const { folder, name, findings, durationMs, content } = checked;
    const foundPath = String(found[formulas.length]?.path);
    const path = findRealPath(foundPath) ?? foundPath;
    const local = content && { folder, path, ...summarize(content), ...cacheBody(content) };
    formulas.push({ folder, path, name, findings, durationMs, local });
  }
  return {
    roots: places.map(({ path }) => realPath(path)),
    formulas,
    saveClean: () => {
      const clean = formulas.filter(({ findings }) => findings.length === 0);
      const hashes = clean.flatMap(({ local }) => local?.files ?? []);
      if (areMany) keepChecked(host, hashes);
    },
  };
}

const summarize = ({ body: { name, type }, files }: Content) => ({ name, type, files });
