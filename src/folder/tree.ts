/** Finds the formula folders at or below the paths that were typed. */
import { type Dirent, existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { CODE_FILES } from './read.ts';

/** A folder as it was typed, and where it is. */
export interface Place {
  typed: string;
  path: string;
}

/**
 * The formula folders (those with a manifest.json) at or below the places, in order of their names; node_modules
 * and dot folders are passed over, and a folder reached twice counts once. A place that itself holds code but no
 * manifest is given too, so that the missing manifest is reported. Raises usage (2) for a place without any.
 */
export function findFormulaFolders(places: readonly Place[]): Place[] {
  const byRealPath = new Map<string, Place>();
  for (const place of places) {
    const found = isFormulaLike(place.path) ? [place] : foldersBelow(place);
    if (found.length === 0) {
      throw new CliError('usage', `there is no formula in ${place.typed}: no folder with a manifest.json`, {
        hint: 'formulary formula init DIR makes a folder to start from',
      });
    }
    for (const formula of found) {
      const real = realpathSync(formula.path);
      if (!byRealPath.has(real)) byRealPath.set(real, formula);
    }
  }
  return [...byRealPath.values()];
}

const isFormulaLike = (path: string) => ['manifest.json', ...CODE_FILES].some((name) => existsSync(join(path, name)));

/** The formula folders below a place, at any depth. Raises usage (2) for a folder that cannot be looked into. */
export function foldersBelow({ typed, path }: Place): Place[] {
  return entriesOf(typed, path)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }): Place[] => {
      const place = { typed: join(typed, name), path: join(path, name) };
      return [...(existsSync(join(place.path, 'manifest.json')) ? [place] : []), ...foldersBelow(place)];
    });
}

/** A folder that cannot be looked into may hold formulas, so it is not passed over in silence. */
function entriesOf(typed: string, path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    throw new CliError('usage', `the folder ${typed} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      hint: 'change its permissions, or name the formula folders one by one',
    });
  }
}
