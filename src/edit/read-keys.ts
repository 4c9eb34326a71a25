/** KEYs for shell completion: those of the manifests in the folders on the command line. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Folder, findNestedFolders } from '../folder/find-folders.ts';
import { readManifestValue } from '../folder/manifest.ts';
import type { Host } from '../host/host.ts';
import { listKeys } from './manifest-schema.ts';

/** Keeps completion fast. */
const MAX_MANIFESTS = 200;

/** The KEYs of manifests in arguments that are folders; without one, the keys of the manifest format. */
export function readKeys(args: readonly string[], host: Pick<Host, 'cwd'>): string[] {
  const folderRefs = args
    .map((arg): Folder => ({ displayPath: arg, path: resolve(host.cwd(), arg) }))
    .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  const folders = folderRefs
    .flatMap((folderRef) => [folderRef, ...findNestedFolders(folderRef)])
    .slice(0, MAX_MANIFESTS);
  return [...new Set([...listKeys(undefined), ...folders.flatMap(({ path }) => listKeys(readManifestValue(path)))])];
}
