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
};

/** The body of a folder whose body is not in memory; undefined if it is no longer valid. */
export async function reloadBody({ path, folder }: LocalFormula, host: Host): Promise<FormulaBody | undefined> {
  const { checkFolder } = await import('./check-folder.ts');
  return (await checkFolder({ displayPath: folder, path }, getSurroundings(host))).body;
}
