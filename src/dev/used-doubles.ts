/** Picks the doubles of a test that a run used, for a test of that run. Pure. */
import type { Doubles } from '../run/doubles/doubles.ts';
import { countBtUses, countHttpUses, type Usage } from '../run/doubles/unmet-doubles.ts';

/** `bt` stays, because code may test whether it exists; methods that were not called have no outcomes. */
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
