/**
 * The results of a plan that is not applied: what is in conflict, or changed since it was made. Line breaks of the plan
 * are escaped, since a line of it would look like one of the tool. Pure.
 */
import { CliError } from '../../errors.ts';
import { escapeControls } from '../../output/escape.ts';
import type { StepResult } from './apply.ts';
import type { Step } from './plan.ts';
import type { RecomputedStep } from './recompute-plan.ts';

/** A step of a plan; `path` is that of its folder, absolute. */
type LocatedStep = Pick<RecomputedStep, 'planned' | 'path'>;

export interface RefusalContext {
  /** How to continue. */
  hint: string;
  /** A folder as it is shown. */
  formatFolder(path: string): string;
}

/** A plan with conflicts. */
export const toConflictResults = (steps: readonly LocatedStep[], context: RefusalContext): StepResult[] =>
  steps.map((step) => {
    if (step.planned.action !== 'conflict') return toResult(step, context);
    const message = `the plan has a conflict for ${describe(step, context)}: ${step.planned.reason ?? 'unknown reason'}`;
    return toResult(step, context, new CliError('conflict', escapeControls(message), { hint: context.hint }));
  });

/** A plan of which folders, lock files, or formulas on the service changed. */
export const toStaleResults = (steps: readonly RecomputedStep[], context: RefusalContext): StepResult[] =>
  steps.map((step) => {
    if (step.comparison.state !== 'changed') return toResult(step, context);
    const { changes } = step.comparison;
    const message = `the plan is stale for ${describe(step, context)}: ${changes.map(({ problem }) => problem).join('; ')}`;
    const outcome = changes.some(({ where }) => where === 'repository') ? 'invalid' : 'conflict';
    const details = { changes: changes.map(({ problem: _, ...change }) => change) };
    return toResult(step, context, new CliError(outcome, escapeControls(message), { hint: context.hint, details }));
  });

const describe = ({ planned, path }: LocatedStep, { formatFolder }: RefusalContext) =>
  `${JSON.stringify(planned.name)} (${formatFolder(path)})`;

function toResult({ planned, path }: LocatedStep, { formatFolder }: RefusalContext, error?: CliError): StepResult {
  const { action, id, name, local } = planned;
  const step: Step = {
    action,
    path,
    fields: [],
    ...(local && { local: { folder: formatFolder(path), path, name, type: local.type, hashes: {} } }),
    ...(id !== null && { remote: { id, name } }),
  };
  if (!error) return { step, outcome: 'not_started' };
  return { step, outcome: error.outcome === 'invalid' ? 'invalid' : 'conflict', error };
}
