/** Finds the history entry that an argument means. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import {
  HISTORY_HINT,
  type HistoryEntry,
  type HistoryRow,
  historyUnreadableError,
  readHistory,
  readVersion,
} from './history-entries.ts';
import { getReadableState } from './state-folder.ts';

/** At least four digits, so that a short name is not an entry by accident. */
const PREFIX = /^[0-9a-f]{4,}$/;

/**
 * The entry with this id or unique prefix, otherwise the latest version of the formula with this name or id on the
 * target. Raises not_found (5), conflict (6) if more than one entry is meant, usage (2) if its file is invalid.
 */
export function findEntry(argument: string, target: string, host: Host, warn: (text: string) => void): HistoryEntry {
  if (argument === '')
    throw new CliError('usage', 'ENTRY must be a history entry or a name (got an empty string)', {
      hint: HISTORY_HINT,
    });
  const { problem } = getReadableState(host);
  if (problem) throw historyUnreadableError(problem);
  const entries = readHistory(host, warn);
  const versions = entries.filter(({ id, name }) => name === argument || id.toLowerCase() === argument.toLowerCase());
  const [version] = [...versions.filter((one) => one.target === target), ...versions];
  const exact = entries.filter(({ entry }) => entry === argument);
  const matches =
    exact.length > 0 || !PREFIX.test(argument) ? exact : entries.filter(({ entry }) => entry.startsWith(argument));
  const [match] = matches;
  if (match && (matches.length > 1 || version)) throw ambiguousError(argument, matches, version);
  const found = match ?? version;
  if (found) return readVersion(found, host);
  throw new CliError('not_found', `no history entry or saved formula ${JSON.stringify(argument)}`, {
    hint: HISTORY_HINT,
  });
}

const MAX_SHOWN = 5;

function ambiguousError(argument: string, matches: readonly HistoryRow[], version: HistoryRow | undefined): CliError {
  const candidates = version ? [...matches, version] : matches;
  const shown = candidates.slice(0, MAX_SHOWN).map(({ entry, name }) => `${entry} (${JSON.stringify(name)})`);
  const more = candidates.length > MAX_SHOWN ? `, and ${candidates.length - MAX_SHOWN} more` : '';
  return new CliError(
    'conflict',
    `${JSON.stringify(argument)} matches ${candidates.length} history entries: ${shown.join(', ')}${more}`,
    {
      hint: 'Use the full id of an entry.',
      details: { entries: candidates.map(({ entry }) => entry) },
    },
  );
}

/** Raises usage (2) if the entry is of another target. */
export function assertSameTarget(entry: HistoryRow, target: string): void {
  if (entry.target === target) return;
  throw new CliError('usage', `this entry belongs to ${entry.target}, but the current service is ${target}`, {
    hint: 'Select the service with --base-url, --profile, or --local, and its name with --target.',
  });
}
