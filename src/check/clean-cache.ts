/**
 * Folders that were found flawless, by the print of their files: what is the same to the byte need not be checked once
 * more. Kept for this very build of the tool and of Node.js, which both have a say in it.
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

/** The prints that are kept; none where they cannot be read, or were made by others. */
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

/** Adds prints; the oldest give way. What cannot be kept is checked again the next time, and that is all. */
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
    // Whatever else is kept in this folder says so.
  }
}
