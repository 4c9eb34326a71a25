/** Finds the formula folders at or below the paths that were typed. */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileRefusal } from '../files/file-errors.ts';
import { displayPath, findRealPath } from '../files/paths.ts';
import { mayBeMisnamed, misnamedFormulas, misnamedIn } from './misnamed-folders.ts';
import { CODE_FILES } from './read.ts';

/** A folder as it was typed, and where it is. */
export interface Place {
  typed: string;
  path: string;
  /** True where a name on its path is not UTF-8: nothing in it can be read, and both names are for messages. */
  isMisnamed?: boolean;
}

/**
 * The formula folders (those with a manifest.json) at or below the places, in order of their names; node_modules
 * and dot folders are passed over, and a folder reached twice counts once. A place that itself holds code but no
 * manifest is given too, so that the missing manifest is reported. Raises usage (2) for a place without any.
 */
export function findFormulaFolders(places: readonly Place[]): Place[] {
  const byRealPath = new Map<string, Place>();
  for (const place of places) {
    const found = formulasIn(place);
    if (found.length === 0) {
      throw new CliError('usage', `there is no formula in ${place.typed}: no folder with a manifest.json`, {
        hint: 'formulary formula init DIR makes a folder to start from',
      });
    }
    for (const formula of found) {
      const real = formula.isMisnamed ? undefined : findRealPath(formula.path);
      const key = real ?? `not UTF-8: ${formula.path}`;
      if (!byRealPath.has(key)) byRealPath.set(key, formula);
    }
  }
  return [...byRealPath.values()];
}

/** A name counts whatever it is: of a manifest.json that is a folder or a link that leads nowhere, a rule tells. */
function formulasIn(place: Place): Place[] {
  const entries = entriesOf(place);
  const isFormulaLike = entries.some(({ name }) => name === 'manifest.json' || CODE_FILES.includes(name));
  return isFormulaLike ? [place] : below(place, entries);
}

/** The formula folders below a place, at any depth, that can be read. Raises usage (2) for a folder that cannot be looked into. */
export const foldersBelow = (place: Place): Place[] =>
  below(place, entriesOf(place)).filter(({ isMisnamed }) => !isMisnamed);

function below({ typed, path }: Place, all: readonly Dirent[]): Place[] {
  const entries = all.filter(({ name }) => !mayBeMisnamed(name) || existsSync(join(path, name)));
  const misnamed = entries.length < all.length ? misnamedBelow({ typed, path }) : [];
  const found = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }): Place[] => {
      const place = { typed: displayPath(typed, name), path: join(path, name) };
      const inside = entriesOf(place);
      return [...(inside.some((entry) => entry.name === 'manifest.json') ? [place] : []), ...below(place, inside)];
    });
  return [...found, ...misnamed];
}

function misnamedBelow({ typed, path }: Place): Place[] {
  return readable(typed, () =>
    misnamedIn(path)
      .sort(Buffer.compare)
      .flatMap((name) => misnamedFormulas(path, name, typed))
      .map((shown) => ({ typed: displayPath(shown, ''), path: join(path, shown), isMisnamed: true })),
  );
}

const entriesOf = ({ typed, path }: Place): Dirent[] =>
  readable(typed, () => readdirSync(path, { withFileTypes: true }));

/** A folder that cannot be looked into may hold formulas, so it is not passed over in silence. */
function readable<T>(typed: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fileRefusal(
      `the folder ${typed} cannot be read`,
      error,
      'change its permissions, or name the formula folders one by one',
    );
  }
}
