/** A valid formula folder of a tree, and its body at the time it is sent. */
import type { BodyOrHashes } from '../formula-fields.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { getSurroundings } from '../state/xdg-paths.ts';

/** A valid formula folder. If its body is not in memory, it is read again when it is needed. */
export type LocalFormula = BodyOrHashes & {
  /** As passed on the command line, or inside it. */
  folder: string;
  /** Absolute and real. */
  path: string;
  name: string;
  type: FormulaBody['type'];
  /** A hash of the folder's files; undefined if other files are part of the body. */
  folderHash?: string | undefined;
};

/** The body of a folder whose body is not in memory, checked again if it changed; undefined if it is no longer valid. */
export async function reloadBody(
  { path, folder, folderHash }: LocalFormula,
  host: Host,
): Promise<FormulaBody | undefined> {
  const folderRef = { displayPath: folder, path };
  const { readBodyIfUnchanged } = await import('./check-folder.ts');
  const body = folderHash === undefined ? undefined : readBodyIfUnchanged(folderRef, folderHash);
  if (body) return body;
  const { checkFormulaFolder } = await import('./check-formula.ts');
  return (await checkFormulaFolder(folderRef, getSurroundings(host))).body;
}
