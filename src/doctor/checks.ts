/** The checks of `doctor`, in display order, and the outcome of the command. */
import type { Outcome } from '../errors.ts';
import type { NamedCheckResult } from '../views/doctor-view.ts';
import { type Check, toFailedResult } from './check.ts';
import type { DoctorContext } from './context.ts';
import { checkLockfiles } from './lockfile.ts';
import { checkDns, checkProxy, checkTls } from './network.ts';
import { checkOwnFolders } from './own-folders.ts';
import { checkService } from './service.ts';
import { checkNode, checkPackages } from './tools.ts';

export const CHECKS: Readonly<Record<string, Check>> = {
  'base URL': checkService,
  proxy: checkProxy,
  DNS: checkDns,
  TLS: checkTls,
  'Node.js': checkNode,
  packages: checkPackages,
  'own folders': checkOwnFolders,
  'lock file': checkLockfiles,
};

/** Runs all checks in parallel; the results are in the order of the checks. `onResult` is called as each one ends. */
export async function runChecks(
  context: DoctorContext,
  onResult: (item: NamedCheckResult) => void,
): Promise<NamedCheckResult[]> {
  const items = await Promise.all(
    Object.entries(CHECKS).map(async ([check, run]) => {
      const result = await Promise.resolve(context).then(run).catch(toFailedResult);
      const item = result && { check, ...result };
      if (item) onResult(item);
      return item;
    }),
  );
  return items.filter((item) => item !== undefined);
}

/** Worst first: without settings nothing works, without a key no request succeeds. */
const BY_SEVERITY: readonly Outcome[] = ['interrupted', 'usage', 'denied', 'unavailable', 'invalid'];

/** The outcome of the command: that of the worst failure, otherwise ok. Pure. */
export function decideOutcome(items: readonly NamedCheckResult[]): Outcome {
  const codes = items.flatMap(({ status, code }) => (status === 'failed' ? [code ?? 'failed'] : []));
  return BY_SEVERITY.find((outcome) => codes.some((code) => code === outcome)) ?? codes[0] ?? 'ok';
}
