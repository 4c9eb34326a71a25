/** A valid formula folder of a tree, and its body at the time it is sent. */
import type { Known } from '../formula-content.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { surroundingsFrom } from '../state/xdg-paths.ts';
import { isUnchanged, type Stamp } from './stat-signature.ts';

/** A valid formula folder. If its body is not in memory, or the folder changed, it is read again before it is sent. */
export type LocalFormula = Known & {
  /** As passed on the command line, or below that. */
  folder: string;
  /** Absolute and real. */
  path: string;
  name: string;
  type: FormulaBody['type'];
  /** A hash of the folder's files; undefined if other files are part of the body. */
  files?: string | undefined;
  /** Tells whether a folder whose body is in memory is unchanged. */
  stamp?: Stamp | undefined;
};

/**
 * The body of a folder now: that of the check while the folder is unchanged, otherwise checked again; undefined when
 * the folder is no longer valid.
 */
export async function reloadBody(
  { path, folder, files, body: checkedBody, stamp }: LocalFormula,
  host: Host,
): Promise<{ body: FormulaBody | undefined; isUnchanged: boolean }> {
  if (checkedBody && stamp && isUnchanged(stamp)) return { body: checkedBody, isUnchanged: true };
  const place = { typed: folder, path };
  const { bodyIfUnchanged } = await import('./check-folder.ts');
  const body = files === undefined ? undefined : bodyIfUnchanged(place, files);
  if (body) return { body, isUnchanged: true };
  const { checkFolder } = await import('./check-formula.ts');
  return { body: (await checkFolder(place, surroundingsFrom(host))).body, isUnchanged: false };
}
