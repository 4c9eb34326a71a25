/** The names of history entries: formula and target as a fingerprint, then digits that grow. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../host/host.ts';

/** The part of a name that says of which formula it is. */
export const getFormulaKey = (entry: string | undefined) => entry?.split('-')[0];

/** The names of all entries, of one formula the oldest first. */
export const listEntries = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^[0-9a-f]{16}-\d+(-\d+)?\.json$/.test(name))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();

/** The latest stamp of each formula's copies, as a command found them and went on. */
const latestTimestamps = new WeakMap<Host, Map<string | undefined, bigint>>();

/**
 * The digits of a time, or where the clock was set back since the last copy of this formula, the next number after that
 * copy's: the newest copy must not be taken for the oldest, and removed.
 */
export function nextTimestamp(host: Host, folder: string, formulaKey: string, at: string): bigint {
  const timestamps =
    latestTimestamps.get(host) ??
    new Map(listEntries(folder).map((entry) => [getFormulaKey(entry), BigInt(entry.split('-')[1] ?? 0)]));
  latestTimestamps.set(host, timestamps);
  const [now, last] = [BigInt(at.replace(/\D/g, '')), timestamps.get(formulaKey) ?? 0n];
  const timestamp = now > last ? now : last + 1n;
  timestamps.set(formulaKey, timestamp);
  return timestamp;
}

export function findFreeName(folder: string, baseName: string): string {
  let name = baseName;
  for (let count = 2; existsSync(join(folder, `${name}.json`)); count += 1) name = `${baseName}-${count}`;
  return name;
}
