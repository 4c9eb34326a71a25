/** What formulas of a target were like when this machine last saw them; tells whether others changed one since. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash, sentType } from '../formula-content.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { CommandLine } from '../text/shell-quote.ts';
import { readStateFile } from './private-file.ts';
import { openSharedFile, type SharedFile } from './shared-json.ts';
import { readableState, requireReadableState, warnOfState } from './state-folder.ts';
import { fingerprint } from './xdg-paths.ts';

export interface SeenFormula {
  /** Hash of the content; audit fields do not count. */
  hash: string;
  modified_at: string | null;
}

/** What was seen of one target's formulas, by id in lower case. */
export type Seen = Map<string, SeenFormula>;

/**
 * Opens what is known of a target. What cannot be read counts as not known, and `warn` hears of it. Undefined where
 * the state folder cannot be read.
 */
export function openSeen(host: Host, target: string, warn: (text: string) => void): SharedFile<Seen> | undefined {
  const { folder, problem } = readableState(host);
  if (problem) {
    if (!problem.isMissing) warnOfState(host, problem, UNNOTICED, warn);
    return undefined;
  }
  const file = join(folder, 'seen', `${fingerprint(target)}.json`);
  return openSharedFile<Seen>(host, file, {
    read: () => readSeen(host, file, warn),
    print: (seen) => `${JSON.stringify({ version: 1, target, formulas: withoutKey(seen, host) })}\n`,
    mode: 0o600,
  });
}

const UNNOTICED = 'changes that others made since are not noticed';

/** What goes into the file: nothing that the service gave with the key in it. */
const withoutKey = (seen: Seen, { hidden }: Host) =>
  Object.fromEntries(
    [...seen].filter(([id, { modified_at: at }]) => [id, at ?? ''].every((text) => hidden(text, true) === text)),
  );

/** Notes a formula as it is now on the service. */
export function noteSeen(seen: SharedFile<Seen> | undefined, formula: Formula): void {
  // What waits to be written keeps no formula, with its code, in memory.
  const id = idOf(formula);
  const found: SeenFormula = { hash: hashOf(formula), modified_at: textOf(formula.modified_at) };
  const known = seen?.value.get(id);
  if (known?.hash === found.hash && known.modified_at === found.modified_at) return;
  seen?.change((formulas) => formulas.set(id, found));
}

/** Forgets a formula that is not there any more. */
export function forgetSeen(seen: SharedFile<Seen> | undefined, formula: Formula): void {
  if (seen?.value.has(idOf(formula))) seen.change((formulas) => formulas.delete(idOf(formula)));
}

/** Whether the formula was seen here, and others have changed it since. */
export function isChangedSince(seen: Seen, formula: Formula): boolean {
  const known = seen.get(idOf(formula));
  return known !== undefined && known.hash !== hashOf(formula);
}

const hashOf = (formula: Formula) => contentHash({ ...formula, type: sentType(formula) });

/** A moment is a text; some services have others. */
const textOf = (moment: unknown) => (typeof moment === 'string' ? moment : null);

const idOf = ({ id }: Formula) => id.toLowerCase();

/** How many targets something is known of, and the files that cannot be read. Throws the file system's error, or usage (2). */
export function brokenSeen(host: Host): { count: number; broken: string[] } {
  const state = requireReadableState(host);
  const folder = join(state ?? '', 'seen');
  const files = state === undefined ? [] : filesIn(folder);
  const broken: string[] = [];
  for (const name of files) readSeen(host, join(folder, name), () => broken.push(join(folder, name)));
  return { count: files.length - broken.length, broken };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readSeen(host: Host, file: string, warn: (text: string) => void): Seen {
  try {
    const { formulas } = JSON.parse(readStateFile(file, host)) as { formulas: Record<string, SeenFormula> };
    const known = Object.entries(formulas).filter(([, { hash }]) => typeof hash === 'string');
    return new Map(known.map(([id, { hash, modified_at: at }]) => [id, { hash, modified_at: textOf(at) }]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') warn(`warning: ${file} cannot be read, so ${UNNOTICED}`);
    return new Map();
  }
}

/** That others changed a formula since it was seen here, and what to do about it. */
export function changedReason({ id, modified_at: at, modified_by: by }: Formula, command: CommandLine): string {
  const when = [textOf(at) && `at ${at}`, textOf(by) && `by ${by}`].filter(Boolean).join(' ');
  return `it was changed on the service since it was last seen here${when && ` (${when})`}: ${command('formula pull', id)} brings the change, --force overwrites it`;
}
