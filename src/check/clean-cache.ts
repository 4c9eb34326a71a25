/**
 * Remembers folders without findings by the hash of their files, so that they are not checked again. The results are
 * valid only for the same build of the tool and version of Node.js.
 */
import { dirname, join } from 'node:path';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import { readStateFile } from '../state/private-file.ts';
import { getReadableState } from '../state/state-folder.ts';

declare const FORMULARY_BUILD: string;

/** About a megabyte. */
const MAX_ENTRIES = 20_000;

const getCachePath = (host: Host) => {
  const { folder } = getReadableState(host);
  return folder && join(folder, 'checked.json');
};

const getValidatorVersion = ({ nodeVersion }: Host) => `${FORMULARY_BUILD} ${nodeVersion}`;

/** The saved hashes; none if they cannot be read or come from another version. */
export function readCleanCache(host: Host): ReadonlySet<string> {
  try {
    const { by, prints } = JSON.parse(readStateFile(getCachePath(host) ?? '', host)) as {
      by: unknown;
      prints: string[];
    };
    return new Set(by === getValidatorVersion(host) ? prints : []);
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
    writeFileAtomic(file, `${JSON.stringify({ by: getValidatorVersion(host), prints: entries })}\n`, 0o600);
  } catch {
    // Other files in the state folder report the same error.
  }
}
