/** All formula folders at or below the paths that were typed, checked; for commands that send them. */
import { CliError } from '../errors.ts';
import { findRealPath, realPath, toRelative } from '../files/paths.ts';
import { findFormulaFolders } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { checkedPlace } from '../program/arguments.ts';
import { notePrinter, type OutputFlags } from '../program/flags.ts';
import type { Finding } from '../rules/rule.ts';
import { surroundingsFrom } from '../state/xdg-paths.ts';
import type { LocalFormula } from '../sync/push/plan.ts';
import { annotate, findingsText } from '../views/findings-view.ts';
import { keepWithin } from './body-cache.ts';
import type { Content } from './check-folder.ts';
import { keepChecked, readChecked } from './clean-cache.ts';
import { isUnchanged } from './stat-signature.ts';

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
  /** Remembers the folders in which nothing was found, where there are so many that the next push gains by it. */
  keepChecked(): void;
  /** The paths that were typed, absolute and real. */
  roots: readonly string[];
  formulas: readonly TreeFormula[];
}

/** To check fewer takes no longer than to remember them. */
const MANY_FOLDERS = 20;
/** What is sent is kept from the check on, so many characters of it, of a tree of no more folders: memory has to suffice for any. */
const KEPT_CHARACTERS = 32 * 1024 * 1024;
const KEPT_FOLDERS = 2000;

/** Reads and checks all folders; says their errors and warnings (with --verbose notes too). Raises usage (2). */
export async function checkedTree(paths: readonly string[], flags: OutputFlags, host: Host): Promise<Tree> {
  const places = paths.map((path) => checkedPlace(path, host));
  const note = notePrinter(flags, host);
  const formulas: TreeFormula[] = [];
  const { judgeMany } = await import('./check-folders.ts');
  const found = findFormulaFolders(places);
  const areMany = found.length >= MANY_FOLDERS;
  const keep = keepWithin(found.length > KEPT_FOLDERS ? 0 : KEPT_CHARACTERS);
  const flawless = areMany ? readChecked(host) : new Set<string>();
  for await (const checked of judgeMany(found, { surroundings: surroundingsFrom(host), withContent: true, flawless })) {
    if (host.stopping.aborted) {
      throw new CliError(
        'interrupted',
        'interrupted while the folders were checked: nothing was done, nothing was sent',
      );
    }
    annotate(checked, flags.verbose ?? false, host);
    const text = await findingsText(checked, flags.verbose ?? false, host.stderr);
    if (text) note(text.trimEnd());
    const { folder, name, findings, durationMs, content } = checked;
    const at = String(found[formulas.length]?.path);
    const path = findRealPath(at) ?? at;
    const local = content && { folder, path, ...about(content), ...keep(content) };
    formulas.push({ folder, path, name, findings, durationMs, local });
  }
  return {
    roots: places.map(({ path }) => realPath(path)),
    formulas,
    keepChecked: () => {
      const clean = formulas.filter(({ findings }) => findings.length === 0);
      if (areMany)
        keepChecked(
          host,
          clean.flatMap(({ local }) => local?.files ?? []),
        );
    },
  };
}

const about = ({ body: { name, type }, files }: Content) => ({ name, type, files });

/** What a folder stands for now: as it was checked while it is unchanged, else checked again; undefined when it is not valid any more. */
export async function currentBody(
  { path, folder, files, body: kept, stamp }: LocalFormula,
  host: Host,
): Promise<{ body: FormulaBody | undefined; isUnchanged: boolean }> {
  if (kept && stamp && isUnchanged(stamp)) return { body: kept, isUnchanged: true };
  const place = { typed: folder, path };
  const { bodyIfUnchanged } = await import('./check-folder.ts');
  const body = files === undefined ? undefined : bodyIfUnchanged(place, files);
  if (body) return { body, isUnchanged: true };
  const { checkFolder } = await import('./check-formula.ts');
  return { body: (await checkFolder(place, surroundingsFrom(host))).body, isUnchanged: false };
}

/** A folder's path for people: from the working folder. */
export const folderFromHere = (path: string, host: Host): string => toRelative(realPath(host.cwd()), path) || '.';
