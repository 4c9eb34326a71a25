/**
 * Remembers folders without findings by the hash of their files, so that a push does not check them again. The results are
 * valid only for the same build of the tool and version of Node.js.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import type { FolderContents } from '../folder/read.ts';
import type { Host } from '../host/host.ts';
import { readStateFile } from '../state/private-file.ts';
import { getReadableState } from '../state/state-folder.ts';
import { sha256 } from '../text/hash.ts';

declare const FORMULARY_VERSION: string;

/** About a megabyte. */
const MAX_ENTRIES = 20_000;

const getCachePath = (host: Host) => {
  const { folder } = getReadableState(host);
  return folder && join(folder, 'checked.json');
};

const getValidatorVersion = ({ nodeVersion }: Host) =>
  `${FORMULARY_VERSION} ${statSync(__filename).mtimeMs} ${nodeVersion}`;

/** The saved hashes; none if they cannot be read or come from another version. */
export function readCleanCache(host: Host): ReadonlySet<string> {
  try {
    const { by, hashes } = JSON.parse(readStateFile(getCachePath(host) ?? '', host)) as {
      by: unknown;
      hashes: string[];
    };
    return new Set(by === getValidatorVersion(host) ? hashes : []);
  } catch {
    return new Set();
  }
}

/** Adds hashes and drops the oldest ones. If it fails, the folders are checked again the next time. */
export function saveCleanCache(host: Host, hashes: Iterable<string>): void {
  const file = getCachePath(host);
  const known = readCleanCache(host);
  const added = [...hashes].filter((hash) => !known.has(hash));
  if (!file || added.length === 0) return;
  const entries = [...known, ...new Set(added)].slice(-MAX_ENTRIES);
  try {
    makeFolders(dirname(file), 0o700);
    writeFileAtomic(file, `${JSON.stringify({ by: getValidatorVersion(host), hashes: entries })}\n`, 0o600);
  } catch {
    // Other files in the state folder report the same error.
  }
}

/** A hash of the names in a folder, and the bytes of manifest, code, icons, and tests. */
export function hashFolder({ entries, manifest, code, icons, tests }: FolderContents): string {
  const files = [manifest, code, ...icons, ...tests];
  // The sizes delimit the files.
  const sizes = files.map((read) => (read.state === 'read' ? [read.file, read.bytes.length] : [read.file]));
  const names = JSON.stringify([entries.map(({ name, kind }) => [name, kind]), sizes]);
  const bytes = files.flatMap((read) => (read.state === 'read' ? [read.bytes] : []));
  return sha256(Buffer.concat([Buffer.from(names), ...bytes])).toString('base64url');
}
