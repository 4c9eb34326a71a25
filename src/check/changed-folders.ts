/** Which formula folders changed since a commit: their own files, and the files and packages that they bundle. */
import { join } from 'node:path';

import type { BundleContext } from '../code/bundle/bundle.ts';
import { findModules } from '../code/bundle/bundled-modules.ts';
import { isWithin, realPath, toRelative } from '../files/paths.ts';
import { listAncestors } from '../files/repository.ts';
import type { Folder } from '../folder/find-folders.ts';
import { readContents, shouldBundle } from './check-folder.ts';

export const PACKAGE_LOCK_FILES: readonly string[] = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
];

/** Files above a formula that decide which packages, and which options, its bundle is made with. */
const PACKAGE_FILES: readonly string[] = ['package.json', ...PACKAGE_LOCK_FILES, 'tsconfig.json'];

/** Read for a bundle, but not part of it. */
const SETTINGS_FILE = /[\\/](?:package|tsconfig[\w.-]*)\.json$/;

/** The files of a repository that changed, and all folders that contain them; relative to `top`, with `/`. */
export interface ChangedPaths {
  top: string;
  files: ReadonlySet<string>;
  folders: ReadonlySet<string>;
}

export function indexChanges(top: string, changed: Iterable<string>): ChangedPaths {
  const files = new Set(changed);
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) folders.add(file.slice(0, at));
  }
  if (files.size > 0) folders.add('');
  return { top, files, folders };
}

/** Whether a formula folder of the repository changed. */
export async function isFolderChanged(folder: Folder, { top, files, folders }: ChangedPaths, context: BundleContext) {
  if (folder.isMisnamed) return true;
  const path = realPath(folder.path);
  if (folders.has(toRelative(top, path))) return true;
  const contents = files.size === 0 ? undefined : readContents(folder);
  if (!contents || !shouldBundle(contents)) return false;
  const isChanged = (file: string) => isWithin(file, top) && files.has(toRelative(top, file));
  const inputs = new Set<string>();
  const { bundleCode } = await import('../code/bundle/bundle.ts');
  const { bundle } = await bundleCode(path, contents.code.file, { ...context, onRead: (file) => inputs.add(file) });
  if ([...inputs].some((file) => isChanged(file) && !SETTINGS_FILE.test(file))) return true;
  // Without a bundle it is not known what it would contain; the check of the folder reports why.
  if (!bundle) return true;
  return (
    hasPackages(bundle.code) && ([...inputs].some(isChanged) || findPackageFile(path, top, isChanged) !== undefined)
  );
}

/** Whether a bundle contains packages. */
export const hasPackages = (code: string): boolean =>
  findModules(code).some(({ module }) => module.packageName !== undefined);

/** The first file above a folder, up to `top`, that decides which packages it is bundled with and that changed. */
export const findPackageFile = (
  folder: string,
  top: string,
  isChanged: (file: string) => boolean,
  names = PACKAGE_FILES,
): string | undefined =>
  listAncestors(folder)
    .filter((ancestor) => isWithin(ancestor, top))
    .flatMap((ancestor) => names.map((name) => join(ancestor, name)))
    .find(isChanged);
