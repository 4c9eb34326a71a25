/** All formula folders under the given paths, checked; for commands that compare or send them. */
import { CliError } from '../errors.ts';
import { findRealPath } from '../files/paths.ts';
import type { FolderSelection } from '../folder/find-folders.ts';
import type { BodyOrHashes } from '../formula-fields.ts';
import type { Host } from '../host/host.ts';
import type { Finding } from '../rules/rule.ts';
import { getSurroundings } from '../state/xdg-paths.ts';
import { createBoundedBodyCache } from './body-cache.ts';
import type { CheckedContent } from './check-folder.ts';
import type { TimedReport } from './check-folders.ts';
import { readCleanCache, saveCleanCache } from './clean-cache.ts';
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

export interface FormulaTree extends Omit<FolderSelection, 'folders'> {
  formulas: readonly TreeFormula[];
  /** Saves which folders are without findings, if there are enough that the next push gains by it. */
  saveCleanCache(): void;
}

/** Checking fewer folders takes no longer than saving that they are clean. */
const MIN_SAVED_FOLDERS = 20;
/** Bodies stay in memory from the check until they are sent, up to this many characters and folders. */
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;
const MAX_CACHED_FOLDERS = 2000;

/**
 * Checks all folders; `onChecked` is called for each, in order. Raises usage (2) for one that cannot be read,
 * interrupted (130 or 143) after a signal.
 */
export async function checkTree(
  { folders, ...selection }: FolderSelection,
  host: Host,
  onChecked: (report: TimedReport) => Promise<void>,
): Promise<FormulaTree> {
  const { checkFolders } = await import('./check-folders.ts');
  const formulas: TreeFormula[] = [];
  const areMany = folders.length >= MIN_SAVED_FOLDERS;
  const cacheBody = createBoundedBodyCache(folders.length > MAX_CACHED_FOLDERS ? 0 : MAX_CACHED_CHARACTERS);
  const knownClean = areMany ? readCleanCache(host) : new Set<string>();
  for await (const checked of checkFolders(folders, {
    bundleContext: getSurroundings(host),
    withContent: true,
    knownClean,
  })) {
    if (host.abortSignal.aborted) {
      throw new CliError('interrupted', 'interrupted while the folders were checked; no changes were made');
    }
    await onChecked(checked);
    const { folder, name, findings, durationMs, content } = checked;
    const foundPath = String(folders[formulas.length]?.path);
    const path = findRealPath(foundPath) ?? foundPath;
    const local = content && toLocalFormula(folder, path, content, cacheBody(content.body));
    formulas.push({ folder, path, name, findings, durationMs, local });
  }
  return {
    ...selection,
    formulas,
    saveCleanCache: () => {
      const clean = formulas.filter(({ findings }) => findings.length === 0);
      const hashes = clean.flatMap(({ local }) => local?.folderHash ?? []);
      if (areMany) saveCleanCache(host, hashes);
    },
  };
}

const toLocalFormula = (
  folder: string,
  path: string,
  { body: { name, type }, folderHash }: CheckedContent,
  cached: BodyOrHashes,
): LocalFormula => ({ folder, path, name, type, folderHash, ...cached });
