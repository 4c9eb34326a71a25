/** What formulas of a target were like when this machine last saw them; tells whether others changed one since. */
import { join } from 'node:path';
import { hashContent, normalizeType } from '../formula-content.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { CommandFormatter } from '../text/shell-quote.ts';
import { readStateFile } from './private-file.ts';
import { openSharedJson, type SharedJson } from './shared-json.ts';
import { getReadableState, warnAboutState } from './state-folder.ts';
import { shortHash } from './xdg-paths.ts';

export interface Baseline {
  /** Hash of the content; audit fields do not count. */
  hash: string;
  modified_at: string | null;
}

/** What was seen of one target's formulas, by id in lower case. */
export type Baselines = Map<string, Baseline>;

/**
 * Opens what is known of a target. What cannot be read counts as not known, and `warn` hears of it. Undefined where
 * the state folder cannot be read.
 */
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
  const file = join(folder, 'seen', `${shortHash(target)}.json`);
  return openSharedJson<Baselines>(host, file, {
    read: () => readBaselines(host, file, warn),
    serialize: (seen) => `${JSON.stringify({ version: 1, target, formulas: omitWithKey(seen, host) })}\n`,
    mode: 0o600,
  });
}

const PAST_CHANGES_UNDETECTED = 'changes that others made since are not noticed';

/** What goes into the file: nothing that the service gave with the key in it. */
const omitWithKey = (baselines: Baselines, { redact }: Host) =>
  Object.fromEntries(
    [...baselines].filter(([id, { modified_at: at }]) => [id, at ?? ''].every((text) => redact(text, true) === text)),
  );

/** Notes a formula as it is now on the service. */
export function recordBaseline(baselines: SharedJson<Baselines> | undefined, formula: Formula): void {
  // What waits to be written keeps no formula, with its code, in memory.
  const id = normalizeId(formula);
  const current: Baseline = { hash: hashFormula(formula), modified_at: toTimestamp(formula.modified_at) };
  const previous = baselines?.value.get(id);
  if (previous?.hash === current.hash && previous.modified_at === current.modified_at) return;
  baselines?.change((formulas) => formulas.set(id, current));
}

/** Forgets a formula that is not there any more. */
export function forgetBaseline(baselines: SharedJson<Baselines> | undefined, formula: Formula): void {
  if (baselines?.value.has(normalizeId(formula))) baselines.change((formulas) => formulas.delete(normalizeId(formula)));
}

/** Whether the formula was seen here, and others have changed it since. */
export function hasChangedSince(baselines: Baselines, formula: Formula): boolean {
  const baseline = baselines.get(normalizeId(formula));
  return baseline !== undefined && baseline.hash !== hashFormula(formula);
}

const hashFormula = (formula: Formula) => hashContent({ ...formula, type: normalizeType(formula) });

/** A moment is a text; some services have others. */
const toTimestamp = (moment: unknown) => (typeof moment === 'string' ? moment : null);

const normalizeId = ({ id }: Formula) => id.toLowerCase();

function readBaselines(host: Host, file: string, warn: (text: string) => void): Baselines {
  try {
    const { formulas } = JSON.parse(readStateFile(file, host)) as { formulas: Record<string, Baseline> };
    const known = Object.entries(formulas).filter(([, { hash }]) => typeof hash === 'string');
    return new Map(known.map(([id, { hash, modified_at: at }]) => [id, { hash, modified_at: toTimestamp(at) }]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      warn(`warning: ${file} cannot be read, so ${PAST_CHANGES_UNDETECTED}`);
    return new Map();
  }
}

/** That others changed a formula since it was seen here, and what to do about it. */
export function formatChangedReason(
  { id, modified_at: at, modified_by: by }: Formula,
  command: CommandFormatter,
): string {
  const when = [toTimestamp(at) && `at ${at}`, toTimestamp(by) && `by ${by}`].filter(Boolean).join(' ');
  return `it was changed on the service since it was last seen here${when && ` (${when})`}: ${command('formula pull', id)} brings the change, --force overwrites it`;
}
