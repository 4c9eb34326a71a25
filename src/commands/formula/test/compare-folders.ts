/** formula test --compare: compares the behavior of each folder with another version of it. */
import { availableParallelism } from 'node:os';
import { toRelative } from '../../../files/paths.ts';
import { findWorkingCopy } from '../../../files/repository.ts';
import { createMonotonicClock } from '../../../host/monotonic-clock.ts';
import { mapInParallel } from '../../../host/parallel.ts';
import { startProgress } from '../../../output/progress.ts';
import { loadFolderTests, selectTests, type TestedFolder } from '../../../run/cases/load-tests.ts';
import { compareFormula } from '../../../run/compare/compare-formula.ts';
import { startReaper } from '../../../run/reaper.ts';
import { loadFolder } from '../../../session/load-folder.ts';
import { type PathFlags, type SinceFlags, selectFolders } from '../../../session/path-flags.ts';
import type { Session } from '../../../session/session.ts';
import { getSurroundings } from '../../../state/xdg-paths.ts';
import { groupBy } from '../../../text/group-by.ts';
import type { FormulaComparison } from '../../../views/comparison-view.ts';
import { parsePlanOptions } from '../push/options.ts';
import { planFolders } from '../push/plan-folders.ts';

export interface CompareOptions extends PathFlags, SinceFlags {
  paths: readonly string[];
  /** `remote`, or a commit. */
  compare: string;
  calls: number;
  seed: number;
  testName?: string | undefined;
  isIsolated: boolean;
  nodePath: string;
  timeoutSeconds: number;
}

/** The code of the other version, or why there is none. */
type OtherCode = { code: string } | { reason: string };

/** Raises the errors of the selection, of the other version, usage (2) if the code was not run, and interrupted. */
export async function compareFolders(
  options: CompareOptions,
  abortSignal: AbortSignal,
  session: Session,
): Promise<FormulaComparison[]> {
  const { host, note } = session;
  const selection = await selectFolders(options.paths, options, session);
  const loader = {
    loadFolder: (folder: (typeof selection.folders)[number]) =>
      loadFolder(folder, session, { notDone: 'no code was run' }),
    note,
  };
  const results: (FormulaComparison | TestedFolder)[] = [];
  for (const folder of selection.folders) {
    const loaded = await loadFolderTests(folder, loader);
    results.push('outcome' in loaded ? { ...loaded, isInvalid: true, reason: 'the folder is invalid' } : loaded);
  }
  const tested = results.filter((one): one is TestedFolder => 'tests' in one);
  const codes = await readOtherCodes(tested, selection, options, session);
  const pairs = tested.map((one) => ({
    ...one,
    tests: selectTests(one.tests, options.testName),
    other: codes.get(one),
  }));
  const isRun = ({ other, executable }: (typeof pairs)[number]) =>
    other && 'code' in other && other.code !== executable.code;
  const total = pairs.reduce((sum, one) => sum + (isRun(one) ? one.tests.length + options.calls : 0), 0);
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'compare', total);
  const reaper = total === 0 ? undefined : startReaper(host.nodePath, host.platform);
  const limits = { ...options, reaper, abortSignal, isShared: !options.isIsolated && host.platform !== 'win32' };
  const compare = async ({ folder, executable, tests, other }: (typeof pairs)[number]): Promise<FormulaComparison> => {
    if (!other || 'reason' in other) return { folder, reason: other?.reason ?? 'there is no other version' };
    if (other.code === executable.code) return { folder, inputs: [] };
    const { bundled: _, sourceMap: __, ...old } = { ...executable, code: other.code };
    const start = performance.now();
    const inputs = await compareFormula(
      { old, new: executable },
      tests.map(({ test }) => test),
      { ...limits, onStep: () => progress.step(false) },
    );
    return { folder, inputs, durationMs: Math.round(performance.now() - start) };
  };
  try {
    // Each formula keeps two processes busy.
    const compared = await mapInParallel(pairs, Math.max(1, Math.floor(availableParallelism() / 2)), compare);
    const byFolder = new Map(compared.map((one) => [one.folder, one]));
    return results.map((one) => byFolder.get(one.folder) ?? (one as FormulaComparison));
  } finally {
    progress.end();
    reaper?.close();
  }
}

type Selection = Awaited<ReturnType<typeof selectFolders>>;

async function readOtherCodes(
  tested: readonly TestedFolder[],
  selection: Selection,
  options: CompareOptions,
  session: Session,
): Promise<Map<TestedFolder, OtherCode>> {
  if (tested.length === 0) return new Map();
  return options.compare === 'remote'
    ? readRemoteCodes(tested, selection, options, session)
    : readCommittedCodes(tested, options.compare, session);
}

async function readCommittedCodes(
  tested: readonly TestedFolder[],
  reference: string,
  { host }: Session,
): Promise<Map<TestedFolder, OtherCode>> {
  const { createCommitCheck, openCommit } = await import('../../../sync/commit-folders.ts');
  const codes = new Map<TestedFolder, OtherCode>();
  for (const inTop of groupBy(tested, ({ executable }) => findWorkingCopy(executable.folder)).values()) {
    const [first] = inTop as [TestedFolder];
    const tree = await openCommit(first.executable.folder, { flag: '--compare', reference }, host);
    const isThere = ({ executable }: TestedFolder) =>
      tree.folders.get(toRelative(tree.top, executable.folder))?.has('manifest.json') ?? false;
    for (const one of inTop) codes.set(one, { reason: `it is not a formula at ${reference}` });
    const there = inTop.filter(isThere);
    const folders = there.map(({ folder, executable }) => ({ displayPath: folder, path: executable.folder }));
    const pending = there.values();
    for await (const { body, findings } of createCommitCheck(tree, host)(folders, {
      bundleContext: getSurroundings(host),
    })) {
      const message = findings.find(({ level }) => level === 'error')?.message;
      const code = body ? { code: body.code } : { reason: `it is invalid at ${reference}: ${message}` };
      codes.set(pending.next().value as TestedFolder, code);
    }
  }
  return codes;
}

async function readRemoteCodes(
  tested: readonly TestedFolder[],
  { roots, isExcluded, isEmptyList }: Selection,
  { paths, compare: _, ...flags }: CompareOptions,
  session: Session,
): Promise<Map<TestedFolder, OtherCode>> {
  const folders = tested.map(({ folder, executable, validFolder: { body } }) => ({
    folder: { path: executable.folder, displayPath: folder },
    name: body.name,
    findings: [],
    durationMs: 0,
    body,
  }));
  const tree = { folders, roots, isExcluded, isEmptyList, saveCleanCache: () => undefined };
  const options = parsePlanOptions(paths, flags);
  const { plan, invalid } = await planFolders(tree, await session.connect(), options, session);
  const steps = new Map(plan?.steps.map((step) => [step.folder.path, step]));
  const failures = new Map(invalid.map(({ folder, error }) => [folder.path, error?.message]));
  const toCode = (path: string): OtherCode => {
    const step = steps.get(path);
    const code = step?.remote?.code;
    if (typeof code === 'string') return { code };
    const reason = failures.get(path) ?? (step?.action === 'conflict' ? step.reason : undefined);
    return { reason: reason ?? 'it is not on the service' };
  };
  return new Map(tested.map((one) => [one, toCode(one.executable.folder)]));
}
