/** The output of `formula status`: a row for each folder, a column for each profile. */
import type { Folder } from '../folder/find-folders.ts';
import type { Formula } from '../model.ts';
import { escapeControls } from '../output/escape.ts';
import type { View } from '../output/formats.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import type { Column, Tone } from '../output/tsv.ts';
import { findModification } from '../state/remote-baseline.ts';
import { countOutcomes, formatCounts } from '../sync/outcome.ts';
import { LIVE_STATES, type LiveVersion } from '../sync/status.ts';
import { tableView, toDocument } from './list-view.ts';

export const STATUS_FIELDS: readonly string[] = ['folder', 'name', 'targets'];

/** A profile, and the target that it has in the lock file, null if the profile cannot be read. */
export interface StatusTarget {
  profile: string | null;
  target: string | null;
}

export interface FolderStatus {
  folder: Folder;
  name: string | null;
  /** For each target. */
  live: readonly LiveVersion[];
}

const TONES: Readonly<Record<LiveVersion['state'], Tone>> = {
  current: 'good',
  behind: 'warning',
  changed: 'error',
  missing: 'faint',
  conflict: 'error',
  unknown: 'faint',
};

const UNKNOWN: LiveVersion = { state: 'unknown' };

/** On a terminal, what is behind or changed comes first. */
export function statusView(rows: readonly FolderStatus[], targets: readonly StatusTarget[], now: Date): View {
  const items = rows.map(({ folder, name, live }) => ({
    folder: folder.displayPath,
    name,
    targets: targets.map(({ profile, target }, i) => ({ profile, target, ...toItem(live[i] ?? UNKNOWN) })),
  }));
  const columns: Column<FolderStatus>[] = [
    { title: 'FOLDER', cell: ({ folder }) => folder.displayPath, kind: 'path' },
    { title: 'NAME', cell: ({ name }) => name ?? '', kind: 'name', isOptional: true },
    ...targets.map(({ profile }, i): Column<FolderStatus> => {
      const get = ({ live }: FolderStatus) => live[i] ?? UNKNOWN;
      return {
        title: profile?.toUpperCase() ?? 'STATUS',
        cell: (row) => formatLive(get(row), (at) => at),
        terminalCell: (row) => formatLive(get(row), (at) => formatRelativeTime(at, now)),
        tone: (row) => TONES[get(row).state],
      };
    }),
  ];
  const rank = ({ live }: FolderStatus) => Math.min(...live.map(({ state }) => LIVE_STATES.indexOf(state)));
  return {
    value: toDocument(items, countStates(rows.flatMap(({ live }) => live))),
    table: (out) => tableView(out.isTerminal ? rows.toSorted((a, b) => rank(a) - rank(b)) : rows, columns).table(out),
  };
}

const countStates = (versions: readonly LiveVersion[]) => countOutcomes(versions, 'state', LIVE_STATES);

/** A line for each target: how many folders are in which state. */
export const formatStatusSummary = (rows: readonly FolderStatus[], targets: readonly StatusTarget[]): string[] =>
  rows.length === 0
    ? ['nothing to do']
    : targets.map(({ profile }, i) => {
        const counts = formatCounts(countStates(rows.flatMap(({ live }) => live[i] ?? [])));
        return profile === null ? counts : escapeControls(`${profile}: ${counts}`);
      });

function toItem({ state, remote, place }: LiveVersion) {
  return {
    id: remote?.id ?? null,
    state,
    ...(place && { commit: place.commit, behind: place.behind }),
    ...(remote && state !== 'current' && toModification(remote)),
  };
}

function toModification(remote: Formula) {
  const { at, by } = findModification(remote);
  return { ...(at !== null && { modified_at: at }), ...(by !== null && { modified_by: by }) };
}

function formatLive({ state, remote, place }: LiveVersion, formatTime: (at: string) => string): string {
  if (place) {
    const tag = place.tag === undefined ? '' : ` (${place.tag})`;
    const distance = place.behind === 0 ? 'uncommitted changes' : `${place.behind} behind`;
    return `${place.commit.slice(0, 7)}${tag}, ${distance}`;
  }
  if (state !== 'changed' || !remote) return state;
  const { at, by, name = by } = findModification(remote);
  return [state, ...(at ? [formatTime(at)] : []), ...(name ? [`by ${name}`] : [])].join(' ');
}
