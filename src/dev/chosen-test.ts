/** The test that a run starts from; its doubles respond to the calls of the code. */
import type { FormulaTest } from '../run/cases/parse-tests.ts';
import { readTestFiles } from '../run/cases/test-files.ts';
import type { Doubles } from '../run/doubles/doubles.ts';
import { resolveModules } from '../run/doubles/resolve-modules.ts';
import { countBtUses, countHttpUses, findUnmetDoubles, formatCall, type Usage } from '../run/doubles/unmet-doubles.ts';
import type { Executable } from '../run/executable.ts';
import type { Invocation, InvocationResult } from '../run/invoke.ts';
import type { Call } from '../run/protocol.ts';
import type { ListedCall } from './wire.ts';

/** A test, by its file (`tests/cards.json`) and its index in it. */
export interface TestRef {
  file: string;
  index: number;
}

/** Reads a test; undefined if it does not exist. */
export const findTest = (folder: string, { file, index }: TestRef): FormulaTest | undefined =>
  readTestFiles(folder)
    .find((found) => found.file === file)
    ?.tests.find(({ path }) => Number(path[0] ?? 0) === index);

/** Options of an invocation with the doubles of a test, and their problems. Without a test, the network is open. */
export function useDoubles(
  test: FormulaTest | undefined,
  executable: Executable,
): { invocation: Partial<Invocation>; problems: readonly string[] } {
  if (!test) return { invocation: {}, problems: [] };
  const { paths, problems } = resolveModules(test.doubles?.modules ?? {}, executable);
  return { invocation: { doubles: { ...test.doubles, modules: paths }, isNetworkClosed: !test.network }, problems };
}

/** Messages about calls without a double, and doubles without a call. */
export function compareDoubles(
  test: FormulaTest | undefined,
  result: InvocationResult,
  { ownCode }: Executable,
): string[] {
  return test ? findUnmetDoubles(test.doubles ?? {}, result, { ...ownCode, loadedAs: result.file }) : [];
}

export const listCalls = (calls: readonly Call[]): ListedCall[] =>
  calls.map((call) => ({ text: formatCall(call), has_double: call.double !== undefined }));

/** Picks the doubles that a run used, for a test of that run. `bt` stays, because code may test whether it exists; methods that were not called have no outcomes. */
export function pickUsedDoubles({ bt, http, modules }: Doubles, { calls, loaded }: Usage): Doubles {
  const usedHttp = (http ?? []).flatMap((double, i) => {
    const count = countHttpUses(calls, i);
    if (count === 0) return [];
    return [typeof double.times === 'number' ? { ...double, times: count } : double];
  });
  const usedModules = Object.entries(modules ?? {}).filter(([name]) => loaded.includes(name));
  return {
    ...(usedModules.length > 0 && { modules: Object.fromEntries(usedModules) }),
    ...(bt && {
      bt: Object.fromEntries(
        Object.entries(bt).map(([name, outcomes]) => [name, outcomes.slice(0, countBtUses(calls, name))]),
      ),
    }),
    ...(usedHttp.length > 0 && { http: usedHttp }),
  };
}
