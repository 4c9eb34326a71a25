/** Adds to the steps of a plan what they change, for the views. */
import { reloadBody } from '../../../check/local-formula.ts';
import type { Host } from '../../../host/host.ts';
import { listChanges } from '../../../sync/push/changes.ts';
import { type DescribedStep, getStepFolder, type ShownStep } from '../../../views/plan-view.ts';

/** Reads the bodies of folders again if they were not kept in memory. */
export async function describeSteps(steps: readonly ShownStep[], host: Host): Promise<DescribedStep[]> {
  const described: DescribedStep[] = [];
  for (const step of steps) {
    const needsBody = step.local && step.action !== 'keep' && !(step.action === 'conflict' && !step.remote);
    const body = step.local && needsBody ? (step.local.body ?? (await reloadBody(step.local, host))) : undefined;
    described.push({ step, folder: getStepFolder(step, host), changes: listChanges(step, body) });
  }
  return described;
}
