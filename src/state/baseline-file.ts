/** The file of baselines: the content that each folder last had in common with the service. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rememberByFolder } from '../files/repository.ts';
import type { Host } from '../host/host.ts';
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
  const exists = rememberByFolder(existsSync);
  return openSharedJson<Baselines>(host, file, {
    read: () => new Map(readEntries(host, file, warn)),
    serialize: (baselines) =>
      `${JSON.stringify({ version: 1, target, baselines: toItems(baselines, exists, host) })}\n`,
    mode: 0o600,
  });
}

const PAST_CHANGES_UNDETECTED = 'remote changes since your last pull or push are not detected';

/** Some services return times and names that are not strings. */
export const toText = (value: unknown) => (typeof value === 'string' ? value : null);

/** The key of a folder and a formula; without an id, of a formula that is about to be created. */
export const toKey = (folder: string, id = '') => `${folder}\0${id.toLowerCase()}`;

interface BaselineItem extends Baseline {
  folder: string;
  id: string;
}

const MAX_GONE_MS = 90 * 24 * 60 * 60 * 1000;

/** The items to save, except those that contain the API key, or whose folder has been missing for 90 days. */
function toItems(baselines: Baselines, exists: (folder: string) => boolean, { redact, now }: Host): BaselineItem[] {
  const time = now();
  return [...baselines].flatMap(([key, { gone_since: goneSince, ...baseline }]): BaselineItem[] => {
    const [folder = '', id = ''] = key.split('\0');
    if ([folder, id, baseline.modified_at ?? ''].some((text) => redact(text, true) !== text)) return [];
    if (exists(folder)) return [{ folder, id, ...baseline }];
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
    return known.map(({ folder, id, modified_at: at, ...baseline }) => [
      toKey(folder, id),
      { ...baseline, modified_at: toText(at) },
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      warn(`warning: ${file} cannot be read; ${PAST_CHANGES_UNDETECTED}`);
    return [];
  }
}
