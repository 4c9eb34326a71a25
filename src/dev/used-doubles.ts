/** The doubles of a test that a run used, so that a test of that run has none that is not called. Pure. */
import type { Call } from '../run/calls.ts';
import type { Doubles } from '../run/doubles/doubles.ts';

interface Used {
  calls: readonly Call[];
  loaded: readonly string[];
}

/** A method of bt stays without outcomes if it was not called: code may ask whether there is a bt. */
export function pickUsedDoubles({ bt, http, modules }: Doubles, { calls, loaded }: Used): Doubles {
  const countBt = (method: string) =>
    calls.filter((call) => 'bt' in call && call.bt === method && call.double !== undefined).length;
  const usedHttp = (http ?? []).flatMap((double, i) => {
    const count = calls.filter((call) => 'http' in call && call.double === i).length;
    if (count === 0) return [];
    return [typeof double.times === 'number' ? { ...double, times: count } : double];
  });
  const usedModules = Object.entries(modules ?? {}).filter(([name]) => loaded.includes(name));
  return {
    ...(usedModules.length > 0 && { modules: Object.fromEntries(usedModules) }),
    ...(bt && {
      bt: Object.fromEntries(Object.entries(bt).map(([name, outcomes]) => [name, outcomes.slice(0, countBt(name))])),
    }),
    ...(usedHttp.length > 0 && { http: usedHttp }),
  };
}
