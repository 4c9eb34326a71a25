/** Creates the plan that diff --out saves. */
import { reloadBody } from '../../check/local-formula.ts';
import { CliError } from '../../errors.ts';
import { isWithin, toRelative } from '../../files/paths.ts';
import { findCurrentRepository } from '../../files/repository.ts';
import { createTopFinder } from '../../folder/find-lockfiles.ts';
import { findHeadCommit } from '../../git/head-commit.ts';
import type { Host } from '../../host/host.ts';
import { findFieldsWithKey } from '../../secrets/key-leaks.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import type { SelectedTree } from '../since.ts';
import type { Tracking } from '../tracking.ts';
import type { Step } from './plan.ts';
import { type PlanFile, type PlannedStep, toPlannedStep } from './plan-file.ts';
import type { PreparedPush } from './prepare-push.ts';

export interface PlanSource {
  tree: Pick<SelectedTree, 'roots' | 'since'>;
  /** Undefined if no folder was selected. */
  prepared: Pick<PreparedPush, 'plan' | 'tracking'> | undefined;
  target: TargetName;
  baseUrl: string;
  isForced: boolean;
  toolVersion: string;
}

/** Raises usage (2) for steps in several repositories, invalid (3) for a formula that contains the API key. */
export async function createPlanFile(
  { tree, prepared, target, baseUrl, isForced, toolVersion }: PlanSource,
  host: Host,
): Promise<PlanFile> {
  const steps = prepared?.plan.steps.filter(isPlanned) ?? [];
  const repository = findRepositoryOfSteps(steps, tree.roots, host);
  const planned: PlannedStep[] = [];
  for (const step of steps) {
    const body = step.local && (await loadBody(step.local, host));
    planned.push(toPlannedStep(step, body, locateStep(step.path, repository, prepared?.tracking)));
  }
  const since = tree.since?.repositories.get(repository)?.mergeBase;
  const plan = {
    tool_version: toolVersion,
    target: target.name,
    base_url: baseUrl,
    commit: (await findHeadCommit(repository, host.env)) ?? null,
    ...(since !== undefined && { since }),
    ...(isForced && { force: true as const }),
    paths: [...new Set(tree.roots.flatMap((root) => toPathInside(root, repository)))],
    steps: planned,
  };
  assertNoKey(plan, host);
  return plan;
}

type PlannableStep = Step & { action: PlannedStep['action'] };

const isPlanned = (step: Step): step is PlannableStep => step.action !== 'keep';

/** The paths of a step, relative to the repository; links to services on this computer are not in a lock file. */
export const locateStep = (path: string, repository: string, tracking: Tracking | undefined) => {
  const file = tracking?.target.isShared ? tracking.findFile(path) : undefined;
  return {
    folder: toRelative(repository, path) || '.',
    lock_file: file === undefined ? null : toRelative(repository, file),
  };
};

function findRepositoryOfSteps(steps: readonly Step[], roots: readonly string[], host: Host): string {
  const findTop = createTopFinder({ paths: roots, surroundings: getSurroundings(host) });
  const [top, ...others] = new Set(steps.map(({ path }) => findTop(path)));
  if (others.length > 0)
    throw new CliError('usage', `a plan must be for one repository (got ${[top, ...others].join(', ')})`, {
      hint: 'Create a plan for each repository.',
    });
  return top ?? findCurrentRepository({ cwd: host.cwd(), home: host.home });
}

/** A root relative to the repository; `.` for a folder above it. */
function toPathInside(root: string, repository: string): string[] {
  if (isWithin(root, repository)) return [toRelative(repository, root) || '.'];
  return isWithin(repository, root) ? ['.'] : [];
}

async function loadBody(local: NonNullable<Step['local']>, host: Host) {
  const body = local.body ?? (await reloadBody(local, host));
  if (body) return body;
  throw new CliError('invalid', `${local.folder} was changed while the plan was created; no plan was written`, {
    hint: 'Run the command again.',
  });
}

/** A plan may be saved as an artifact, which others can read. */
function assertNoKey(plan: PlanFile, { redact }: Host): void {
  const text = JSON.stringify(plan);
  if (redact(text, true) === text) return;
  const fields = plan.steps.flatMap(({ name, id, local, remote }) =>
    [local, remote].flatMap((content) => {
      const found = content ? findFieldsWithKey({ ...content, id: id ?? '' }, redact) : [];
      return found.map((field) => `${field} of ${JSON.stringify(name)}`);
    }),
  );
  const where = [...new Set(fields)].join(', ') || 'a path or the target';
  throw new CliError('invalid', `the API key is in the plan (${where}); no plan was written`, {
    hint: 'Remove the key from the formula, and use a new key: readers of the formula know this one.',
  });
}
