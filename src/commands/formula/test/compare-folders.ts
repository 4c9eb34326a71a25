/** formula test --compare: compares the behavior of each folder with another version of it. */
import { availableParallelism } from 'node:os';
import type { DefineCommand } from '../../../cli/define.ts';
import { toRelative } from '../../../files/paths.ts';
import { findWorkingCopy } from '../../../files/repository.ts';
import type { Folder } from '../../../folder/find-folders.ts';
import { createMonotonicClock } from '../../../host/monotonic-clock.ts';
import { mapInParallel } from '../../../host/parallel.ts';
import { startProgress } from '../../../output/progress.ts';
import type { Report } from '../../../report/report-file.ts';
import { loadFolderTests, selectTests, type TestedFolder } from '../../../run/cases/load-tests.ts';
import { compareFormula } from '../../../run/compare/compare-formula.ts';
import { startReaper } from '../../../run/reaper.ts';
import { loadFolder } from '../../../session/load-folder.ts';
import type { PathFlags, SinceFlags, selectFolders } from '../../../session/path-flags.ts';
import type { Session } from '../../../session/session.ts';
import { getSurroundings } from '../../../state/xdg-paths.ts';
import { groupBy } from '../../../text/group-by.ts';
import {
  comparisonView,
  type FormulaComparison,
  findWorstComparison,
  formatComparisonSummary,
  hasGenerated,
  toComparisonCase,
  toComparisonReport,
} from '../../../views/comparison-view.ts';
import { parsePlanOptions } from '../push/options.ts';
import { planFolders } from '../push/plan-folders.ts';
import type { Comparison } from './comparison-flags.ts';

interface CompareOptions extends Comparison, PathFlags, SinceFlags {
  paths: readonly string[];
  testName?: string | undefined;
  isolate?: boolean | undefined;
  verbose?: boolean | undefined;
  nodePath: string;
  fallbackHint: string | undefined;
  timeoutSeconds: number;
  abortSignal: AbortSignal;
}

interface Output {
  session: Session;
  report: Report;
  setOutcome: Parameters<DefineCommand>[2];
}

/** Raises the errors of the other versions, usage (2) if the code was not run, and interrupted. */
export async function compareFolders(
  selection: Selection,
  options: CompareOptions,
  { session, report, setOutcome }: Output,
): Promise<void> {
  const { compare: reference, seed, fallbackHint } = options;
  const loaded = await loadFolders(selection, session);
  const tested = loaded.filter((one): one is TestedFolder => 'tests' in one);
  const others = await readOtherCodes(tested, selection, options, session);
  const compared = await compareAll(tested, others, options, session);
  const results = loaded.map((one) => ('tests' in one ? (compared.get(one) as FormulaComparison) : one));
  report.write('junit', { suite: 'formulary formula test', cases: results.map(toComparisonCase) });
  report.write('markdown', toComparisonReport(results, reference, seed));
  await session.print(comparisonView(results, seed));
  session.note(formatComparisonSummary(results));
  const worst = findWorstComparison(results);
  if (worst) setOutcome(worst);
  if (hasGenerated(results)) session.note(`To generate the same calls again, pass --seed ${seed}.`);
  if (fallbackHint && (worst === 'differs' || options.verbose)) session.note(`hint: ${fallbackHint}`);
}

/** The folders in order; an invalid one is a result already. */
async function loadFolders({ folders }: Selection, session: Session): Promise<(TestedFolder | FormulaComparison)[]> {
  const { note } = session;
  const loader = { loadFolder: (folder: Folder) => loadFolder(folder, session, { notDone: 'no code was run' }), note };
  const loaded: (TestedFolder | FormulaComparison)[] = [];
  for (const folder of folders) {
    const one = await loadFolderTests(folder, loader);
    loaded.push('tests' in one ? one : { ...one, isInvalid: true, reason: 'the folder is invalid' });
  }
  return loaded;
}

/** Each formula keeps two processes busy. */
const PROCESSES = 2;

async function compareAll(
  tested: readonly TestedFolder[],
  others: ReadonlyMap<TestedFolder, OtherCode>,
  options: CompareOptions,
  { host }: Session,
): Promise<Map<TestedFolder, FormulaComparison>> {
  const results = new Map<TestedFolder, FormulaComparison>();
  const pairs = tested.flatMap((one) => {
    const { folder, executable, tests } = one;
    const other = others.get(one) ?? { reason: 'there is no other version' };
    if ('reason' in other) results.set(one, { folder, reason: other.reason });
    else if (other.code === executable.code) results.set(one, { folder, inputs: [] });
    else return [{ one, code: other.code, tests: selectTests(tests, options.testName).map(({ test }) => test) }];
    return [];
  });
  const total = pairs.reduce((sum, { tests }) => sum + tests.length + options.calls, 0);
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'compare', total);
  const reaper = total === 0 ? undefined : startReaper(host.nodePath, host.platform);
  const isShared = !options.isolate && host.platform !== 'win32';
  const limits = { ...options, reaper, isShared, onStep: () => progress.step(false) };
  try {
    await mapInParallel(pairs, Math.ceil(availableParallelism() / PROCESSES), async ({ one, code, tests }) => {
      const { folder, executable } = one;
      const { bundled: _, sourceMap: __, ...old } = { ...executable, code };
      const start = performance.now();
      const inputs = await compareFormula({ old, new: executable }, tests, limits);
      results.set(one, { folder, inputs, durationMs: Math.round(performance.now() - start) });
    });
    return results;
  } finally {
    progress.end();
    reaper?.close();
  }
}

/** The code of the other version, or why there is none. */
type OtherCode = { code: string } | { reason: string };

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
  const { openCommit } = await import('../../../sync/commit-folders.ts');
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
    for await (const { body, findings } of tree.checkFolders(folders, {
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
