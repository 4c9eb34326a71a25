/** Compares two versions of a formula on the inputs of its tests and on generated ones. */
import type { FormulaTest } from '../cases/parse-tests.ts';
import { resolveModules } from '../doubles/resolve-modules.ts';
import type { Executable } from '../executable.ts';
import type { Invocation } from '../invoke.ts';
import { createProcessPool } from '../process-pool.ts';
import { assertStarted } from '../run-flags.ts';
import { findRequestDeviations, type RunRequest } from '../validate-request.ts';
import {
  type CallResult,
  compareResults,
  type Difference,
  isEndedByLimit,
  isUnanswered,
  toCallResult,
} from './compare-results.ts';
import { createInputSource, generateInput } from './generate-input.ts';
import { shrinkInput } from './shrink-input.ts';

/** An input for which the versions differ, also in new processes. */
export interface FoundDifference {
  /** The name of the test; null for a generated input. */
  test: string | null;
  input: RunRequest;
  old: CallResult;
  new: CallResult;
  differences: readonly Difference[];
}

/** How many inputs were compared, and those that differ. */
export interface Comparison {
  tests: number;
  generated: number;
  /** How many of them ended at a call without a double. */
  unanswered: number;
  /** How many of them have other results each time. */
  varying: number;
  found: readonly FoundDifference[];
}

export interface ComparisonOptions extends Pick<Invocation, 'nodePath' | 'timeoutSeconds' | 'abortSignal'> {
  /** How many calls are generated. */
  calls: number;
  seed: number;
  /** Whether calls may share a process. */
  isShared: boolean;
  /** Called after each input. */
  onStep(): void;
}

/** A call, with what a test fixes. */
type ComparedCall = Pick<FormulaTest, 'args' | 'configuration' | 'doubles'> & { now: number; seed: number };

/** The time of tests without `now`, and of generated calls. */
const NOW = Date.UTC(2026, 0, 31, 12);
/** After so many calls that end by a limit, or have other results each time, no others are generated. */
const MAX_COSTLY = 3;
const SHRINK_MS = 10_000;

/** Raises usage (2) if the code was not run, and interrupted. */
export async function compareFormula(
  versions: { old: Executable; new: Executable },
  tests: readonly FormulaTest[],
  options: ComparisonOptions,
): Promise<Comparison> {
  const pair = createPair(versions, options);
  const found: FoundDifference[] = [];
  const counts = { tests: 0, generated: 0, unanswered: 0, varying: 0 };
  /** Compares a call, and counts it; true if it was costly. */
  const add = async (kind: 'tests' | 'generated', call: ComparedCall, test: string | null): Promise<boolean> => {
    const { old, differences } = await pair.compare(call);
    const confirmed = differences.length > 0 ? await pair.confirm(call, test) : undefined;
    counts[kind] += 1;
    if (confirmed === 'varying') counts.varying += 1;
    else if (confirmed) found.push(confirmed);
    else if (isUnanswered(old)) counts.unanswered += 1;
    options.onStep();
    return confirmed === 'varying' || isEndedByLimit(old);
  };
  try {
    for (const { name, now = NOW, seed = options.seed, args, configuration, doubles } of tests)
      await add('tests', { args, configuration, doubles, now, seed }, name);
    const fits = (input: RunRequest) => findRequestDeviations(input, versions.new.declarations).length === 0;
    const source = await createInputSource(versions.old, versions.new, tests.filter(fits));
    const fixed = { now: NOW, seed: options.seed };
    const inTests = found.length;
    for (let i = 0, costly = 0; i < options.calls && costly < MAX_COSTLY && found.length === inTests; i += 1)
      if (await add('generated', { ...generateInput(source, options.seed, i), ...fixed }, null)) costly += 1;
    const generated = found[inTests];
    if (generated) found[inTests] = await shrink(generated, fits, pair, fixed);
    return { ...counts, found };
  } finally {
    pair.close();
  }
}

/** The difference of a smaller input, if that is confirmed. */
async function shrink(
  difference: FoundDifference,
  fits: (input: RunRequest) => boolean,
  { compare, confirm }: ReturnType<typeof createPair>,
  fixed: { now: number; seed: number },
): Promise<FoundDifference> {
  const end = performance.now() + SHRINK_MS;
  const differs = async (input: RunRequest) =>
    performance.now() < end && (await compare({ ...input, ...fixed })).differences.length > 0;
  const smallest = await shrinkInput(difference.input, fits, differs);
  const confirmed = await confirm({ ...smallest, ...fixed }, null);
  return typeof confirmed === 'object' ? confirmed : difference;
}

/** Two versions that run the same calls at the same time. */
function createPair(versions: { old: Executable; new: Executable }, options: ComparisonOptions) {
  const older = createRunner(versions.old, options);
  const newer = createRunner(versions.new, options);
  const compare = async (call: ComparedCall, isFresh = false) => {
    const [before, after] = await Promise.all([older.run(call, isFresh), newer.run(call, isFresh)]);
    return { old: before, new: after, differences: compareResults(before, after) };
  };
  return {
    compare,
    /** A difference counts if new processes show it too, and the old version returns the same twice. */
    confirm: async (call: ComparedCall, test: string | null): Promise<FoundDifference | 'varying' | undefined> => {
      const compared = await compare(call, true);
      if (compareResults(compared.old, await older.run(call, true)).length > 0) return 'varying';
      const { args, configuration } = call;
      return compared.differences.length > 0 ? { test, input: { args, configuration }, ...compared } : undefined;
    },
    close: () => {
      older.close();
      newer.close();
    },
  };
}

/** How often it is looked for changed objects in a process; the first call is one of those. */
const CALLS_PER_CHECK = 10;

/** Runs calls of one version, one after the other in a process that they share. */
function createRunner(executable: Executable, { isShared: mayShare, ...limits }: ComparisonOptions) {
  const pool = createProcessPool();
  let isNetworkUsed = false;
  return {
    run: async ({ doubles = {}, ...call }: ComparedCall, isFresh: boolean): Promise<CallResult> => {
      const modules = resolveModules(doubles, executable).paths;
      const isShared = mayShare && !isFresh && !doubles.http?.length && Object.keys(modules).length === 0;
      const result = await pool.invoke({
        ...executable,
        ...limits,
        ...call,
        doubles: { ...doubles, bt: doubles.bt ?? {}, modules },
        isShared,
        callsPerCheck: CALLS_PER_CHECK,
        isNetworkUsed: isShared && isNetworkUsed,
        isNetworkClosed: true,
        endsAtCall: true,
        onOutput: () => undefined,
      });
      // Most code that leaves something behind uses the network, for which the next process is prepared then.
      if (isShared && !result.reusable) isNetworkUsed = true;
      assertStarted(result.exitReason, limits.nodePath);
      return toCallResult(result);
    },
    close: pool.close,
  };
}
