/** Finds the version that a folder in conflict last had in common with the service; its baseline is only a hash. */
import { isSameId } from '../../api/formula-guards.ts';
import { attempt } from '../../errors.ts';
import { groupByWorkingCopy } from '../../files/repository.ts';
import { toRequestBody } from '../../formula-fields.ts';
import type { Host } from '../../host/host.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import { type HistoryRow, readVersion, tryReadHistory } from '../../state/history-entries.ts';
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
  const findSaved = createHistorySearch(host);
  for (const { action, body, remote, folder } of steps) {
    const { path } = folder;
    if (action !== 'conflict' || !body || !remote) continue;
    const hashes = tracking.listBaselineHashes(path, remote);
    if (hashes.length === 0) continue;
    const match: MatchVersion = (version) => findFirst(hashes, (hash) => findContent(version, remote, hash));
    const version = match(body) ?? findSaved(remote, match);
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

/** Searches the saved versions of a formula, newest first, without those that cannot be read. */
function createHistorySearch(host: Host): (formula: Formula, match: MatchVersion) => FormulaBody | undefined {
  let rows: HistoryRow[] | undefined;
  return ({ id }, match) => {
    rows ??= tryReadHistory(host);
    return findFirst(rows, (row) => {
      const read = () => toRequestBody(readVersion(row, host).formula);
      const saved = isSameId(row.id, id) ? attempt(read) : undefined;
      return saved && match(saved);
    });
  };
}

function findFirst<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
