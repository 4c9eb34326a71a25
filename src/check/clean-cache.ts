/**
 * Folders that were found flawless, by the print of their files: what is the same to the byte need not be checked once
 * more. Kept for this very build of the tool and of Node.js, which both have a say in it.
 */
import { dirname, join } from 'node:path';
import { makeFolders, writeFileWhole } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import { readStateFile } from '../state/private-file.ts';
import { readableState } from '../state/state-folder.ts';

declare const FORMULARY_BUILD: string;

/** About a megabyte. */
const MAX_KEPT = 20_000;

const fileOf = (host: Host) => {
  const { folder } = readableState(host);
  return folder && join(folder, 'checked.json');
};

const judgeOf = ({ nodeVersion }: Host) => `${FORMULARY_BUILD} ${nodeVersion}`;

/** The prints that are kept; none where they cannot be read, or were made by others. */
export function readChecked(host: Host): ReadonlySet<string> {
  try {
    const { by, prints } = JSON.parse(readStateFile(fileOf(host) ?? '', host)) as { by: unknown; prints: string[] };
    return new Set(by === judgeOf(host) ? prints : []);
  } catch {
    return new Set();
  }
}

/** Adds prints; the oldest give way. What cannot be kept is checked again the next time, and that is all. */
export function keepChecked(host: Host, prints: Iterable<string>): void {
  const file = fileOf(host);
  const known = readChecked(host);
  const fresh = [...prints].filter((print) => !known.has(print));
  if (!file || fresh.length === 0) return;
  const kept = [...known, ...new Set(fresh)].slice(-MAX_KEPT);
  try {
    makeFolders(dirname(file), 0o700);
    writeFileWhole(file, `${JSON.stringify({ by: judgeOf(host), prints: kept })}\n`, 0o600);
  } catch {
    // Whatever else is kept in this folder says so.
  }
}
