/** Compares two versions of a formula on the inputs of its tests and on generated ones. */
import type { FormulaTest } from '../cases/parse-tests.ts';
import type { Executable } from '../executable.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../validate-request.ts';
import { type CallResult, compareResults, type Difference, ENDS, isUnanswered } from './compare-results.ts';
import { type CallInput, generateInput } from './generate-input.ts';
import { createInputSource } from './input-source.ts';
import { shrinkInput } from './shrink-input.ts';
import { type ComparedCall, createVersionRunner, type VersionLimits } from './version-runner.ts';

export interface Versions {
  old: Executable;
  new: Executable;
}

/** An input for which the versions differ, also in new processes. */
export interface FoundDifference {
  input: CallInput;
  old: CallResult;
  new: CallResult;
  differences: readonly Difference[];
}

/** The inputs of a test, or those that were generated (no name). */
export interface ComparedInputs {
  name: string | undefined;
  total: number;
  /** How many of them ended at a call without a double. */
  unanswered: number;
  /** How many of them have other results each time. */
  varying: number;
  difference?: FoundDifference;
}

export interface ComparisonOptions extends VersionLimits {
  /** How many calls are generated. */
  calls: number;
  seed: number;
  /** Called after each input. */
  onStep(): void;
}

/** The time of tests without `now`, and of generated calls. */
const NOW = Date.UTC(2026, 0, 31, 12);
/** After so many calls that end by a limit, or have other results each time, no others are generated. */
const MAX_COSTLY = 3;
const SHRINK_MS = 10_000;

/** Raises usage (2) if the code was not run, and interrupted. */
export async function compareFormula(
  versions: Versions,
  tests: readonly FormulaTest[],
  options: ComparisonOptions,
): Promise<ComparedInputs[]> {
  const pair = createPair(versions, options);
  try {
    const results: ComparedInputs[] = [];
    for (const { name, now = NOW, seed = options.seed, args, configuration, doubles } of tests) {
      const inputs = createInputs(name);
      await pair.count(inputs, { args, configuration, doubles, now, seed });
      results.push(inputs);
    }
    return [...results, await compareGenerated(pair, versions, tests, options)];
  } finally {
    pair.close();
  }
}

const createInputs = (name?: string): ComparedInputs => ({ name, total: 0, unanswered: 0, varying: 0 });

type Compared = Pick<FoundDifference, 'old' | 'new' | 'differences'>;

/** Two versions that run the same calls at the same time. */
function createPair(versions: Versions, options: ComparisonOptions) {
  const older = createVersionRunner(versions.old, options);
  const newer = createVersionRunner(versions.new, options);
  const compare = async (call: ComparedCall, isFresh = false): Promise<Compared> => {
    const [before, after] = await Promise.all([older.run(call, isFresh), newer.run(call, isFresh)]);
    return { old: before, new: after, differences: compareResults(before, after) };
  };
  /** A difference counts if new processes show it too, and the old version returns the same twice. */
  const confirm = async (call: ComparedCall): Promise<FoundDifference | 'varying' | undefined> => {
    const compared = await compare(call, true);
    if (compareResults(compared.old, await older.run(call, true)).length > 0) return 'varying';
    const { args, configuration } = call;
    return compared.differences.length > 0 ? { input: { args, configuration }, ...compared } : undefined;
  };
  return {
    compare,
    confirm,
    /** Compares a call and counts the result. */
    count: async (inputs: ComparedInputs, call: ComparedCall): Promise<Compared> => {
      const compared = await compare(call);
      const found = compared.differences.length > 0 ? await confirm(call) : undefined;
      inputs.total += 1;
      if (found === 'varying') inputs.varying += 1;
      else if (found) inputs.difference = found;
      else if (isUnanswered(compared.old)) inputs.unanswered += 1;
      options.onStep();
      return compared;
    },
    close: () => {
      older.close();
      newer.close();
    },
  };
}

/** Compares generated calls up to the first difference, and looks for a smaller input that shows one. */
async function compareGenerated(
  { count, compare, confirm }: ReturnType<typeof createPair>,
  versions: Versions,
  tests: readonly FormulaTest[],
  { calls, seed }: ComparisonOptions,
): Promise<ComparedInputs> {
  const inputs = createInputs();
  const fits = createFilter(versions.new);
  const source = await createInputSource(versions.old, versions.new, tests.filter(fits));
  const fixed = { now: NOW, seed };
  let limited = 0;
  for (let i = 0; i < calls && limited + inputs.varying < MAX_COSTLY && !inputs.difference; i += 1) {
    const { old } = await count(inputs, { ...generateInput(source, seed, i), ...fixed });
    if (old.ends === ENDS.timeout || old.ends === ENDS.memory) limited += 1;
  }
  if (!inputs.difference) return inputs;
  const end = performance.now() + SHRINK_MS;
  const smallest = await shrinkInput(
    inputs.difference.input,
    fits,
    async (input) => performance.now() < end && (await compare({ ...input, ...fixed })).differences.length > 0,
  );
  const confirmed = await confirm({ ...smallest, ...fixed });
  return typeof confirmed === 'object' ? { ...inputs, difference: confirmed } : inputs;
}

/** Tells whether an input fits the manifest. */
const createFilter =
  ({ declarations: { request_parameters, configuration: elements } }: Executable) =>
  ({ args, configuration }: CallInput): boolean =>
    findArgsDeviations(args, request_parameters).length === 0 &&
    findConfigurationDeviations(configuration, elements).length === 0;
