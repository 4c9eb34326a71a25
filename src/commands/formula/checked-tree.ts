/** All formula folders at or below the paths that were typed, checked; for commands that send them. */
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { printsOf } from '../../content.ts';
import { CliError } from '../../errors.ts';
import { findFormulaFolders } from '../../folder/tree.ts';
import type { Host } from '../../host.ts';
import type { FormulaBody } from '../../model.ts';
import type { Checked } from '../../rules/check.ts';
import { ownFolders } from '../../state/place.ts';
import type { LocalFormula } from '../../sync/plan.ts';
import { notePrinter, type OutputFlags } from '../flags.ts';
import { annotate, findingsText } from './findings.ts';
import { checkedFolder } from './word.ts';

const PAUSE_AFTER = 50;

/** A folder with its findings; `local` unless it is invalid. The texts are not kept: there may be thousands. */
export interface TreeFormula {
  folder: string;
  path: string;
  name: string | null;
  findings: Checked['findings'];
  local: LocalFormula | undefined;
}

export interface Tree {
  /** The paths that were typed, absolute and real. */
  roots: readonly string[];
  formulas: readonly TreeFormula[];
}

/** Reads and checks all folders; says their errors and warnings (with --verbose notes too). Raises usage (2). */
export async function checkedTree(paths: readonly string[], flags: OutputFlags, host: Host): Promise<Tree> {
  const places = paths.map((typed) => ({ typed, path: checkedFolder(typed, host) }));
  const note = notePrinter(flags, host);
  const formulas: TreeFormula[] = [];
  const { checkFolder } = await import('../../rules/check.ts');
  for (const place of findFormulaFolders(places)) {
    // Checking does not pause by itself, and a signal is heard only in a pause.
    if (formulas.length % PAUSE_AFTER === 0) await host.sleep(0);
    if (host.stopping.aborted) {
      throw new CliError(
        'interrupted',
        'interrupted while the folders were checked: nothing was done, nothing was sent',
      );
    }
    const checked = await checkFolder(place, ownFolders(host));
    annotate(checked, flags.verbose ?? false, host);
    const text = await findingsText(checked, flags.verbose ?? false, host.stderr);
    if (text) note(text.trimEnd());
    formulas.push(treeFormula(checked, realpathSync(place.path)));
  }
  return { roots: places.map(({ path }) => realpathSync(path)), formulas };
}

function treeFormula({ folder, name, findings, body }: Checked, path: string): TreeFormula {
  const local = body && { folder, path, name: body.name, type: body.type, prints: printsOf(body) };
  return { folder, path, name, findings, local };
}

/** The body of a folder, read and checked again; undefined when it is not valid any more. */
export async function bodyOfFolder({ path, folder }: LocalFormula, host: Host): Promise<FormulaBody | undefined> {
  const { checkFolder } = await import('../../rules/check.ts');
  return (await checkFolder({ typed: folder, path }, ownFolders(host))).body;
}

/** A folder's path for people: from the working folder. */
export const folderFromHere = (path: string, host: Host): string => relative(realpathSync(host.cwd()), path) || '.';
