/** The names of history entries: formula and target as a fingerprint, then digits that grow. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../host/host.ts';

/** The part of a name that says of which formula it is. */
export const formulaOf = (entry: string | undefined) => entry?.split('-')[0];

/** The names of all entries, of one formula the oldest first. */
export const entriesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^[0-9a-f]{16}-\d+(-\d+)?\.json$/.test(name))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();

/** The latest stamp of each formula's copies, as a command found them and went on. */
const latest = new WeakMap<Host, Map<string | undefined, bigint>>();

/**
 * The digits of a time, or where the clock was set back since the last copy of this formula, the next number after that
 * copy's: the newest copy must not be taken for the oldest, and removed.
 */
export function stampAfter(host: Host, folder: string, of: string, at: string): bigint {
  const stamps =
    latest.get(host) ?? new Map(entriesIn(folder).map((entry) => [formulaOf(entry), BigInt(entry.split('-')[1] ?? 0)]));
  latest.set(host, stamps);
  const [now, last] = [BigInt(at.replace(/\D/g, '')), stamps.get(of) ?? 0n];
  const stamp = now > last ? now : last + 1n;
  stamps.set(of, stamp);
  return stamp;
}

export function freeName(folder: string, wanted: string): string {
  let name = wanted;
  for (let count = 2; existsSync(join(folder, `${name}.json`)); count += 1) name = `${wanted}-${count}`;
  return name;
}
