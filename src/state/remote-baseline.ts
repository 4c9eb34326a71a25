/** Baselines: the content that each folder last had in common with the service, to detect changes by others since. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashContent, normalizeType } from '../formula-content.ts';
import type { Host } from '../host/host.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { readStateFile } from './private-file.ts';
import { openSharedJson, type SharedJson } from './shared-json.ts';
import { getReadableState, warnAboutState } from './state-folder.ts';
import { shortHash } from './xdg-paths.ts';

export interface Baseline {
  /** Hash of the content, without audit fields; null until the first request for the folder has ended. */
  hash: string | null;
  modified_at: string | null;
  /** Hash of an update that was about to be sent; it remains if the process was killed. */
  pending?: string;
  /** When the folder was first found missing. */
  gone_since?: string;
}

/** The baselines of one target, by folder (absolute and real) and id. */
export type Baselines = Map<string, Baseline>;

export type RemoteState = 'same' | 'changed' | 'unknown';

/** Opens the baselines of a target; undefined if the state folder cannot be read. An unreadable file counts as empty, with a warning. */
export function openBaselines(
  host: Host,
  target: string,
  warn: (text: string) => void,
): SharedJson<Baselines> | undefined {
  const { folder, problem } = getReadableState(host);
  if (problem) {
    if (!problem.isMissing) warnAboutState(host, problem, PAST_CHANGES_UNDETECTED, warn);
    return undefined;
  }
  const file = join(folder, 'baselines', `${shortHash(target)}.json`);
  return openSharedJson<Baselines>(host, file, {
    read: () => new Map(readEntries(host, file, warn)),
    serialize: (baselines) => `${JSON.stringify({ version: 1, target, baselines: toItems(baselines, host) })}\n`,
    mode: 0o600,
  });
}

const PAST_CHANGES_UNDETECTED = 'changes that others made since are not noticed';

/** The hashes that earlier versions saved without a folder, by id in lower case; they count only for a folder of that content. */
export function readOldHashes(host: Host, target: string): ReadonlyMap<string, string> {
  const { folder } = getReadableState(host);
  try {
    if (folder === undefined) return new Map();
    const file = join(folder, 'seen', `${shortHash(target)}.json`);
    const { formulas } = JSON.parse(readStateFile(file, host)) as { formulas: Record<string, { hash?: unknown }> };
    return new Map(
      Object.entries(formulas).flatMap(([id, { hash }]) =>
        typeof hash === 'string' ? [[id.toLowerCase(), hash] as const] : [],
      ),
    );
  } catch {
    return new Map();
  }
}

/** The baseline of a folder and a formula; otherwise what was about to be created from the folder, whose id is not known. */
export const findBaseline = (baselines: Baselines, folder: string, { id }: Pick<Formula, 'id'>): Baseline | undefined =>
  baselines.get(toKey(folder, id)) ?? baselines.get(toKey(folder));

/** Uses the hash of an earlier version as the baseline of a folder if it is the folder's content; in memory only. */
export function adoptOldHash(
  baselines: Baselines,
  folder: string,
  remote: Formula,
  hash: string,
  body: FormulaBody,
): void {
  if (isContent(body, remote, hash)) baselines.set(toKey(folder, remote.id), { hash, modified_at: null });
}

/** Whether a hash is that of a folder's content; a missing icon or description is that of the remote formula, as in an update. */
export const isContent = (body: FormulaBody, remote: Formula, hash: string): boolean =>
  findContent(body, remote, hash) !== undefined;

/** The content of a folder that has a hash: completed with the remote icon and description if it has the hash then. */
export function findContent(body: FormulaBody, remote: Formula, hash: string): FormulaBody | undefined {
  const icon = body.icon ?? remote.icon ?? null;
  const withDescription = { ...body, description: body.description ?? remote.description ?? null };
  const candidates: FormulaBody[] = [body, withDescription, { ...body, icon }, { ...withDescription, icon }];
  return candidates.find((content) => hashContent(content) === hash);
}

/** Records that a folder and the formula are equal now. */
export function recordBaseline(baselines: SharedJson<Baselines> | undefined, folder: string, formula: Formula): void {
  const key = toKey(folder, formula.id);
  const current: Baseline = { hash: hashFormula(formula), modified_at: toTimestamp(formula.modified_at) };
  const previous = baselines?.value.get(key);
  const isKnown = previous?.hash === current.hash && previous.modified_at === current.modified_at;
  if (isKnown && previous.pending === undefined) return;
  baselines?.change((entries) => {
    entries.set(key, current);
    entries.delete(toKey(folder));
  });
}

/** A create or an update that is about to be sent: the current remote formula, and the hash of the new content. */
export interface PendingWrite {
  folder: string;
  /** Undefined for a create. */
  remote: Formula | undefined;
  hash: string;
}

/** Records writes before they are sent, so that those of a killed process do not look like changes by others. */
export async function recordPending(
  baselines: SharedJson<Baselines> | undefined,
  writes: readonly PendingWrite[],
): Promise<void> {
  const isNoted = ({ folder, remote, hash }: PendingWrite) =>
    baselines?.value.get(toKey(folder, remote?.id))?.pending === hash;
  const unnoted = writes.filter((write) => !isNoted(write));
  if (!baselines || unnoted.length === 0) return;
  baselines.change((entries) => {
    for (const { folder, remote, hash } of unnoted) {
      const previous = remote && findBaseline(entries, folder, remote);
      const isApplied = remote !== undefined && previous?.pending === hashFormula(remote);
      entries.set(toKey(folder, remote?.id), {
        hash: (isApplied ? previous?.pending : previous?.hash) ?? null,
        modified_at: previous?.modified_at ?? null,
        pending: hash,
      });
    }
  });
  // The command reports a write error when it flushes the file at the end.
  await baselines.flush().catch(() => undefined);
}

/** Removes the baseline of a folder whose formula was deleted. */
export function forgetBaseline(baselines: SharedJson<Baselines> | undefined, folder: string, { id }: Formula): void {
  const key = toKey(folder, id);
  if (baselines?.value.has(key)) baselines.change((entries) => entries.delete(key));
}

/** Compares the remote formula with the baseline of a folder; 'unknown' without a baseline. */
export function compareToBaseline(baselines: Baselines, folder: string, formula: Formula): RemoteState {
  const baseline = findBaseline(baselines, folder, formula);
  if (!baseline) return 'unknown';
  const hash = hashFormula(formula);
  if (hash === baseline.hash || hash === baseline.pending) return 'same';
  return baseline.hash === null ? 'unknown' : 'changed';
}

const hashFormula = (formula: Formula) => hashContent({ ...formula, type: normalizeType(formula) });

/** Some services return times that are not strings. */
const toTimestamp = (time: unknown) => (typeof time === 'string' ? time : null);

/** Without an id, of what is about to be created. */
const toKey = (folder: string, id = '') => `${folder}\0${id.toLowerCase()}`;

interface BaselineItem extends Baseline {
  folder: string;
  id: string;
}

const MAX_GONE_MS = 90 * 24 * 60 * 60 * 1000;

/** The items to save, except those that contain the API key, or whose folder has been missing for 90 days. */
function toItems(baselines: Baselines, { redact, now }: Host): BaselineItem[] {
  const time = now();
  return [...baselines].flatMap(([key, { gone_since: goneSince, ...baseline }]): BaselineItem[] => {
    const [folder = '', id = ''] = key.split('\0');
    if ([folder, id, baseline.modified_at ?? ''].some((text) => redact(text, true) !== text)) return [];
    if (existsSync(folder)) return [{ folder, id, ...baseline }];
    const since = goneSince ?? time.toISOString();
    return time.getTime() - Date.parse(since) > MAX_GONE_MS ? [] : [{ folder, id, ...baseline, gone_since: since }];
  });
}

function readEntries(host: Host, file: string, warn: (text: string) => void): [string, Baseline][] {
  try {
    const { baselines } = JSON.parse(readStateFile(file, host)) as { baselines: BaselineItem[] };
    const isText = (value: unknown) => typeof value === 'string';
    const known = baselines.filter(
      ({ folder, id, hash }) => isText(folder) && isText(id) && (hash === null || isText(hash)),
    );
    return known.map(({ folder, id, hash, modified_at: at, pending, gone_since: goneSince }) => [
      toKey(folder, id),
      {
        hash,
        modified_at: toTimestamp(at),
        ...(typeof pending === 'string' && { pending }),
        ...(typeof goneSince === 'string' && { gone_since: goneSince }),
      },
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      warn(`warning: ${file} cannot be read, so ${PAST_CHANGES_UNDETECTED}`);
    return [];
  }
}

/** Why a formula is in conflict with a folder. `since` is the reference of --since. */
export const formatChangedReason = (formula: Formula, since?: string): string =>
  `it changed on the service since ${since ?? 'the last push or pull of this folder'}${formatModification(formula)}`;

/** When and by which application a formula was last changed, in parentheses after a space; '' if it is unknown. */
export function formatModification({ modified_at: at, modified_by: by }: Formula): string {
  const when = [toTimestamp(at) && `at ${at}`, toTimestamp(by) && `by ${by}`].filter(Boolean).join(' ');
  return when && ` (${when})`;
}
