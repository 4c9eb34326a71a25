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
import { type InvalidFolder, loadFolderTests, selectTests, type TestedFolder } from '../../../run/cases/load-tests.ts';
import { compareFormula } from '../../../run/compare/compare-formula.ts';
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
  toComparisonCase,
  toFormulaComparison,
} from '../../../views/comparison-view.ts';
import { parseOptions } from '../push/options.ts';
import { planFolders } from '../push/plan-folders.ts';
import type { parseComparison } from './comparison-flags.ts';

interface CompareOptions extends NonNullable<ReturnType<typeof parseComparison>>, PathFlags, SinceFlags {
  paths: readonly string[];
  testName?: string | undefined;
  isolate?: boolean | undefined;
  verbose?: boolean | undefined;
  nodePath: string;
  fallbackHint: string | undefined;
  timeoutSeconds: number;
  abortSignal: AbortSignal;
}

type Selection = Awaited<ReturnType<typeof selectFolders>>;

/** The code of the other version of a folder (by its real path), or why there is none. */
type OtherCodes = ReadonlyMap<string, { code: string } | { reason: string }>;

/** Raises the errors of the other versions, usage (2) if the code was not run, and interrupted. */
export async function compareFolders(
  selection: Selection,
  options: CompareOptions,
  { session, report, setOutcome }: { session: Session; report: Report; setOutcome: Parameters<DefineCommand>[2] },
): Promise<void> {
  const { compare: reference, seed, fallbackHint } = options;
  const { note } = session;
  const loader = { loadFolder: (folder: Folder) => loadFolder(folder, session, { notDone: 'no code was run' }), note };
  const loaded: (TestedFolder | InvalidFolder)[] = [];
  for (const folder of selection.folders) loaded.push(await loadFolderTests(folder, loader));
  const tested = loaded.filter((one) => 'tests' in one);
  const others =
    reference === 'remote'
      ? await readRemoteCodes(tested, selection, options, session)
      : await readCommittedCodes(tested, reference, session);
  const results = await compareAll(loaded, others, options, session);
  const summary = formatComparisonSummary(results);
  const isRun = results.some(({ counts }) => counts);
  report.write('junit', { suite: 'formulary formula test', cases: results.map(toComparisonCase) });
  report.write('markdown', { reference, summary, seed: isRun ? seed : undefined, lines: results });
  await session.print(comparisonView(results, seed));
  note(summary);
  const worst = findWorstComparison(results);
  if (worst) setOutcome(worst);
  if (isRun) note(`To generate the same calls again, pass --seed ${seed}.`);
  if (fallbackHint && (worst === 'differs' || options.verbose)) note(`hint: ${fallbackHint}`);
}

/** Each formula keeps two processes busy. */
const PROCESSES = 2;

async function compareAll(
  loaded: readonly (TestedFolder | InvalidFolder)[],
  others: OtherCodes,
  { compare: reference, testName, isolate, ...options }: CompareOptions,
  { host }: Session,
): Promise<FormulaComparison[]> {
  const missing = {
    reason: reference === 'remote' ? 'it is not on the service' : `it is not a formula at ${reference}`,
  };
  const items = loaded.map((one) => {
    const { folder } = one;
    const skip = (text: string): FormulaComparison => ({ folder, outcome: 'skipped', text });
    if ('outcome' in one) return { ...skip('the folder is invalid'), isInvalid: true };
    const other = others.get(one.executable.folder) ?? missing;
    if ('reason' in other) return skip(other.reason);
    if (other.code === one.executable.code) return { folder, outcome: 'same' as const, text: 'the code is the same' };
    return { ...one, tests: selectTests(one.tests, testName).map(({ test }) => test), code: other.code };
  });
  const total = items.reduce((sum, one) => sum + ('tests' in one ? one.tests.length + options.calls : 0), 0);
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'compare', total);
  const isShared = !isolate && host.platform !== 'win32';
  const limits = { ...options, isShared, onStep: () => progress.step(false) };
  try {
    return await mapInParallel(items, Math.ceil(availableParallelism() / PROCESSES), async (item) => {
      if (!('tests' in item)) return item;
      const { folder, executable, tests, code } = item;
      const start = performance.now();
      const old = { ...executable, code, bundled: undefined };
      const counts = await compareFormula({ old, new: executable }, tests, limits);
      return { ...toFormulaComparison(folder, counts), durationMs: Math.round(performance.now() - start) };
    });
  } finally {
    progress.end();
  }
}

async function readCommittedCodes(
  tested: readonly TestedFolder[],
  reference: string,
  { host }: Session,
): Promise<OtherCodes> {
  const { openCommit } = await import('../../../sync/commit-folders.ts');
  const codes = new Map<string, { code: string } | { reason: string }>();
  for (const inTop of groupBy(tested, ({ executable }) => findWorkingCopy(executable.folder)).values()) {
    const folders = inTop.map(({ folder, executable }) => ({ displayPath: folder, path: executable.folder }));
    const tree = await openCommit(folders[0]?.path ?? '', { flag: '--compare', reference }, host);
    const there = folders.filter(({ path }) => tree.folders.get(toRelative(tree.top, path))?.has('manifest.json'));
    const paths = there.values();
    const options = { bundleContext: getSurroundings(host) };
    for await (const { body, findings } of tree.checkFolders(there, options)) {
      const message = findings.find(({ level }) => level === 'error')?.message;
      const reason = `it is invalid at ${reference}: ${message}`;
      codes.set(paths.next().value?.path ?? '', body ? { code: body.code } : { reason });
    }
  }
  return codes;
}

async function readRemoteCodes(
  tested: readonly TestedFolder[],
  { roots, isExcluded, isEmptyList }: Selection,
  { paths, compare: _, ...flags }: CompareOptions,
  session: Session,
): Promise<OtherCodes> {
  if (tested.length === 0) return new Map();
  const folders = tested.map(({ folder, executable, validFolder: { body } }) => ({
    folder: { path: executable.folder, displayPath: folder },
    name: body.name,
    findings: [],
    durationMs: 0,
    body,
  }));
  const tree = { folders, roots, isExcluded, isEmptyList, saveCleanCache: () => undefined };
  const { plan, invalid } = await planFolders(
    tree,
    await session.connect(),
    // Nothing is sent, so a lock file of another tenant does no harm: names decide.
    { ...parseOptions(paths, flags), force: true },
    session,
  );
  const codes = new Map<string, { code: string } | { reason: string }>();
  for (const { folder, remote, ...step } of plan?.steps ?? []) {
    if (typeof remote?.code === 'string') codes.set(folder.path, { code: remote.code });
    else if (step.action === 'conflict' && step.reason) codes.set(folder.path, { reason: step.reason });
  }
  for (const { folder, error } of invalid) if (error) codes.set(folder.path, { reason: error.message });
  return codes;
}
