/** A valid formula folder of a tree, and its body at the time it is sent. */
import type { BodyOrHashes } from '../formula-content.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { getSurroundings } from '../state/xdg-paths.ts';
import { isUnchanged, type StatSignature } from './stat-signature.ts';

/** A valid formula folder. If its body is not in memory, or the folder changed, it is read again before it is sent. */
export type LocalFormula = BodyOrHashes & {
  /** As passed on the command line, or inside it. */
  folder: string;
  /** Absolute and real. */
  path: string;
  name: string;
  type: FormulaBody['type'];
  /** A hash of the folder's files; undefined if other files are part of the body. */
  files?: string | undefined;
  /** Detects changes of a folder whose body is in memory. */
  statSignature?: StatSignature | undefined;
};

/**
 * The body of a folder now: that of the check while the folder is unchanged, otherwise checked again; undefined when
 * the folder is no longer valid.
 */
export async function reloadBody(
  { path, folder, files, body: cachedBody, statSignature }: LocalFormula,
  host: Host,
): Promise<{ body: FormulaBody | undefined; isUnchanged: boolean }> {
  if (cachedBody && statSignature && isUnchanged(statSignature)) return { body: cachedBody, isUnchanged: true };
  const folderRef = { typed: folder, path };
  const { readBodyIfUnchanged } = await import('./check-folder.ts');
  const body = files === undefined ? undefined : readBodyIfUnchanged(folderRef, files);
  if (body) return { body, isUnchanged: true };
  const { checkFormulaFolder } = await import('./check-formula.ts');
  return { body: (await checkFormulaFolder(folderRef, getSurroundings(host))).body, isUnchanged: false };
}
