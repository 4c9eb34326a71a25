/** Finds the formula folders at or below the paths that were typed. */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { findRealPath, toDisplayPath } from '../files/paths.ts';
import { findMisnamedFormulas, listMisnamed, mayBeMisnamed } from './misnamed-folders.ts';
import { CODE_FILES } from './read.ts';

/** A folder as it was typed, and where it is. */
export interface FolderRef {
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
export function findFormulaFolders(roots: readonly FolderRef[]): FolderRef[] {
  const byRealPath = new Map<string, FolderRef>();
  for (const root of roots) {
    const found = findFormulas(root);
    if (found.length === 0) {
      throw new CliError('usage', `there is no formula in ${root.typed}: no folder with a manifest.json`, {
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
function findFormulas(folder: FolderRef): FolderRef[] {
  const entries = listEntries(folder);
  const isFormulaLike = entries.some(({ name }) => name === 'manifest.json' || CODE_FILES.includes(name));
  return isFormulaLike ? [folder] : findBelow(folder, entries);
}

/** The formula folders below a place, at any depth, that can be read. Raises usage (2) for a folder that cannot be looked into. */
export const findNestedFolders = (folder: FolderRef): FolderRef[] =>
  findBelow(folder, listEntries(folder)).filter(({ isMisnamed }) => !isMisnamed);

function findBelow({ typed, path }: FolderRef, all: readonly Dirent[]): FolderRef[] {
  const entries = all.filter(({ name }) => !mayBeMisnamed(name) || existsSync(join(path, name)));
  const misnamed = entries.length < all.length ? findMisnamedBelow({ typed, path }) : [];
  const found = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }): FolderRef[] => {
      const folder = { typed: toDisplayPath(typed, name), path: join(path, name) };
      const inside = listEntries(folder);
      return [
        ...(inside.some((entry) => entry.name === 'manifest.json') ? [folder] : []),
        ...findBelow(folder, inside),
      ];
    });
  return [...found, ...misnamed];
}

function findMisnamedBelow({ typed, path }: FolderRef): FolderRef[] {
  return withReadError(typed, () =>
    listMisnamed(path)
      .sort(Buffer.compare)
      .flatMap((name) => findMisnamedFormulas(path, name, typed))
      .map((shown) => ({ typed: toDisplayPath(shown, ''), path: join(path, shown), isMisnamed: true })),
  );
}

const listEntries = ({ typed, path }: FolderRef): Dirent[] =>
  withReadError(typed, () => readdirSync(path, { withFileTypes: true }));

/** A folder that cannot be looked into may hold formulas, so it is not passed over in silence. */
function withReadError<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fileUsageError(
      `the folder ${label} cannot be read`,
      error,
      'change its permissions, or name the formula folders one by one',
    );
  }
}
