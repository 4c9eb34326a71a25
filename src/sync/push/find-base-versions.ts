/** Finds the version that a folder in conflict last had in common with the service; its baseline is only a hash. */
import { groupByWorkingCopy } from '../../files/repository.ts';
import { toRequestBody } from '../../formula-fields.ts';
import type { Host } from '../../host/host.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { readHistory, readVersion } from '../../state/history-entries.ts';
import { findContent } from '../../state/remote-baseline.ts';
import type { Tracking } from '../tracking.ts';
import { loadBodies } from './compare-version.ts';
import type { Step } from './plan.ts';
import { visitVersions } from './visit-versions.ts';

/** By the path of a folder whose formula was changed on the service: the version; undefined if it is not known. */
export type BaseVersions = ReadonlyMap<string, FormulaBody | undefined>;

/** Returns a version, complete, if it is the common one. */
type MatchVersion = (version: FormulaBody) => FormulaBody | undefined;

/** Searches the folders themselves, then the saved versions, then HEAD and the last 20 commits of the folders. */
export async function findBaseVersions(steps: readonly Step[], tracking: Tracking, host: Host): Promise<BaseVersions> {
  const found = new Map<string, FormulaBody | undefined>();
  const missing = new Map<string, MatchVersion>();
  const readSaved = createHistoryReader(host);
  for (const { action, body, remote, folder } of steps) {
    const { path } = folder;
    if (action !== 'conflict' || !body || !remote) continue;
    const hashes = tracking.listBaselineHashes(path, remote);
    if (hashes.length === 0) continue;
    const match: MatchVersion = (version) => findFirst(hashes, (hash) => findContent(version, remote, hash));
    const version = match(body) ?? findFirst(readSaved(remote), match);
    found.set(path, version);
    if (!version) missing.set(path, match);
  }
  for (const [top, inTop] of groupByWorkingCopy(missing.keys(), (path) => path)) {
    await visitVersions(top, inTop, { host }, async (path, version, bundle) => {
      const base = findFirst(await loadBodies(version, bundle), (body) => missing.get(path)?.(body));
      if (base) found.set(path, base);
      return base !== undefined;
    });
  }
  return found;
}

/** Reads the saved versions of a formula, newest first, without those that cannot be read. */
function createHistoryReader(host: Host): (formula: Formula) => Iterable<FormulaBody> {
  const ignoreProblems = <T>(read: () => T[]): T[] => {
    try {
      return read();
    } catch {
      return [];
    }
  };
  let rows: ReturnType<typeof readHistory> | undefined;
  return function* ({ id }) {
    rows ??= ignoreProblems(() => readHistory(host, () => undefined));
    for (const row of rows.filter((one) => one.id.toLowerCase() === id.toLowerCase()))
      yield* ignoreProblems(() => [toRequestBody(readVersion(row, host).formula)]);
  };
}

function findFirst<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
