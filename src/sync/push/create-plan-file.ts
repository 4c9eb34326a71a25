/** Creates the plan that diff --out saves. */
import { CliError } from '../../errors.ts';
import { isWithin, realPath, toRelative } from '../../files/paths.ts';
import { findCurrentRepository } from '../../files/repository.ts';
import { findFormulaFolders } from '../../folder/find-folders.ts';
import { createTopFinder } from '../../folder/find-lockfiles.ts';
import { hashContent } from '../../formula-fields.ts';
import { findHeadCommit } from '../../git/references.ts';
import type { Host } from '../../host/host.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { hashFormula } from '../../state/remote-baseline.ts';
import { getSurroundings } from '../../state/xdg-paths.ts';
import { toSentBody } from '../merge-formula.ts';
import type { SelectedTree } from '../since.ts';
import type { Tracking } from '../tracking.ts';
import { listBreakingItems } from './breaking-changes.ts';
import { isChange, type Step } from './plan.ts';
import { MAX_TEXT, type PlanFile, type PlannedStep } from './plan-file.ts';
import type { PushPlan } from './plan-push.ts';

export interface PlanSource {
  tree: Pick<SelectedTree, 'roots' | 'since' | 'at' | 'isExcluded'>;
  /** Undefined if no folder was selected. */
  plan: Pick<PushPlan, 'steps' | 'tracking'> | undefined;
  target: TargetName;
  baseUrl: string;
  isForced: boolean;
  toolVersion: string;
}

/** Raises usage (2) for steps in several repositories, invalid (3) for a name or a path that contains the API key. */
export async function createPlanFile(
  { tree, plan, target, baseUrl, isForced, toolVersion }: PlanSource,
  host: Host,
): Promise<PlanFile> {
  const steps = plan?.steps.filter(isChange) ?? [];
  const repository = findRepositoryOfSteps(steps, tree.roots, host);
  const since = tree.since?.repositories.get(repository)?.mergeBase;
  const toPath = (path: string) => toRelative(repository, path) || '.';
  const planned = steps.map(
    (step): PlannedStep => ({
      action: step.action,
      ...locateStep(step.folder.path, repository, plan?.tracking),
      id: step.remote?.id ?? step.missingId ?? null,
      name: step.name,
      ...hashStep(step.body, step.remote),
      ...(step.movedFrom && { moved_from: toPath(step.movedFrom.path) }),
      ...(step.overwrites && { overwrites: true }),
      ...(step.breaking && { breaking: listBreakingItems(step.breaking) }),
      ...(step.reason !== undefined && { reason: step.reason.slice(0, MAX_TEXT) }),
    }),
  );
  const excluded = findExcluded(tree);
  const saved = {
    tool_version: toolVersion,
    target: target.name,
    base_url: baseUrl,
    repository: toRelative(realPath(host.cwd()), repository) || '.',
    commit: (await findHeadCommit(repository, host.env)) ?? null,
    ...(since !== undefined && { since }),
    ...(tree.at && { at: tree.at.commit }),
    ...(isForced && { force: true as const }),
    paths: [...new Set(tree.roots.flatMap((root) => toPathInside(root, repository)))],
    ...(excluded.length > 0 && { excluded: excluded.map(toPath) }),
    steps: planned,
  };
  const text = JSON.stringify(saved);
  // A plan may be saved as an artifact, which others can read.
  if (host.redact(text, true) === text) return saved;
  throw new CliError('invalid', 'the API key is in a name, a path, or the target of the plan; no plan was written', {
    hint: 'Remove it, and use a new key: readers of the formulas know this one.',
  });
}

/** The hashes of what will be sent, and of what is there. */
export function hashStep(
  body: FormulaBody | undefined,
  remote: Formula | undefined,
): Pick<PlannedStep, 'local_hash' | 'remote_hash'> {
  return {
    local_hash: body ? hashContent(toSentBody(body, remote)) : null,
    remote_hash: remote ? hashFormula(remote) : null,
  };
}

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
  const [top, ...others] = new Set(steps.map(({ folder }) => findTop(folder.path)));
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

function findExcluded({ roots, isExcluded, at }: PlanSource['tree']): string[] {
  const searched = roots.map((path) => ({ path, displayPath: path, mayBeEmpty: true }));
  return findFormulaFolders(searched, { at })
    .filter(({ path, isMisnamed }) => !isMisnamed && isExcluded(path))
    .map(({ path }) => path);
}
