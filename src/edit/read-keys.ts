/** The KEYs that can be completed: those of the manifests in the folders on the command line. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import { type FolderRef, findNestedFolders } from '../folder/find-folders.ts';
import { parseManifest } from '../folder/manifest.ts';
import type { Host } from '../host/host.ts';
import { listKeys } from './manifest-schema.ts';

/** A person waits for the completion. */
const MAX_MANIFESTS = 200;

/** The KEYs of the manifests in those words that are folders, each once; without a folder, of the manifest format. */
export function readKeys(words: readonly string[], host: Pick<Host, 'cwd'>): string[] {
  const places = words
    .map((typed): FolderRef => ({ typed, path: resolve(host.cwd(), typed) }))
    .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  const folders = places.flatMap((place) => [place, ...findNestedFolders(place)]).slice(0, MAX_MANIFESTS);
  return [...new Set([...listKeys(undefined), ...folders.flatMap(({ path }) => listKeys(readManifest(path)))])];
}

function readManifest(folder: string): unknown {
  try {
    const bytes = readRegularFile(join(folder, 'manifest.json'));
    return parseManifest(bytes.toString('utf8').replace(/^\ufeff/, '')).value;
  } catch {
    return undefined;
  }
}
