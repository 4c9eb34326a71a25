/** Which history entries exist, for which formula, and from when, without reading the formulas in them. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** Entries of earlier versions begin with a hash of target and id, and end with digits of the time. */
const ENTRY_FILE = /^([0-9a-f]{10}|[0-9a-f]{16}-\d+(-\d+)?)\.json$/;

/** The names of all entries. */
export const listEntries = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => ENTRY_FILE.test(name))
    .map((name) => name.slice(0, -'.json'.length));

interface IndexedEntry {
  entry: string;
  /** ISO 8601. */
  at: string;
}

/** The entries of each formula, oldest first. */
export type HistoryIndex = Map<string, IndexedEntry[]>;

/** The key of a formula in the index. */
export const getFormulaKey = (target: string, id: string) => `${target}\n${id.toLowerCase()}`;

export function readIndex(folder: string): HistoryIndex {
  const index: HistoryIndex = new Map();
  const found = listEntries(folder).flatMap((entry) => {
    const header = readHeader(join(folder, `${entry}.json`));
    return header ? [{ entry, ...header }] : [];
  });
  for (const { entry, at, target, id } of found.sort(compareByTime)) {
    const key = getFormulaKey(target, id);
    const entries = index.get(key) ?? [];
    index.set(key, entries);
    entries.push({ entry, at });
  }
  return index;
}

const compareByTime = (a: IndexedEntry, b: IndexedEntry) =>
  a.at === b.at ? (a.entry < b.entry ? -1 : 1) : a.at < b.at ? -1 : 1;

/** In bytes; names have at most 200 characters. */
const MAX_HEADER = 8192;

/** The fields before the formula; undefined for a file that is not a history entry. */
function readHeader(file: string): { at: string; target: string; id: string } | undefined {
  try {
    const text = readStart(file);
    const end = text.indexOf(',\n  "formula":');
    const { at, target, id } = JSON.parse(end < 0 ? text : `${text.slice(0, end)}\n}`);
    return [at, target, id].every((value) => typeof value === 'string') ? { at, target, id } : undefined;
  } catch {
    return undefined;
  }
}

function readStart(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(MAX_HEADER);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, MAX_HEADER, 0));
  } finally {
    closeSync(descriptor);
  }
}
