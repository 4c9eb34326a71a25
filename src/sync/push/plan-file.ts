/** The plan that diff --out saves and push --plan applies: JSON with hashes, without contents. Pure. */
import { parseJsonBody } from '../../api/http/json-body.ts';
import { CliError } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../files/regular-file.ts';
import { findKeyProblem } from '../../folder/lockfile.ts';
import validatePlan from '../../generated/plan-validator.js';
import { isObject } from '../../text/json-type.ts';
import { formatSchemaErrors } from '../../text/schema-errors.ts';
import { truncateText } from '../../text/shorten.ts';
import type { BreakingChange } from './breaking-changes.ts';
import type { Step } from './plan.ts';

const SCHEMA_VERSION = 1;
/** Characters of a string that a message may show. */
export const MAX_TEXT = 10_000;
const MAX_PATHS = 20_000;

export interface PlanFile {
  tool_version: string;
  target: string;
  base_url: string;
  /** The repository, relative to the folder in which diff ran. The other paths are relative to it, with `/`. */
  repository: string;
  /** The commit that was checked out, for information. */
  commit: string | null;
  /** The commit that --since compared with, an ancestor of HEAD. */
  since?: string;
  /** The commit of --at, whose folders are planned. */
  at?: string;
  /** Made with --force. */
  force?: true;
  /** The paths that were compared, and the formulas in them that --exclude left out. */
  paths: readonly string[];
  excluded?: readonly string[];
  steps: readonly PlannedStep[];
}

export interface PlannedStep {
  action: Step['action'];
  folder: string;
  /** The lock file that has, or will have, the id; null if it is not in the repository. */
  lock_file: string | null;
  /** The formula; for a create, the id in the lock file if it no longer exists. */
  id: string | null;
  name: string;
  /** The hash of what will be sent; null for a deletion. */
  local_hash: string | null;
  /** The hash of what the service had; null for a create. */
  remote_hash: string | null;
  /** The folder of the lock entry, if the folder was moved. */
  moved_from?: string;
  overwrites?: true;
  breaking?: readonly Omit<BreakingChange, 'detail'>[];
  /** The reason of a conflict. */
  reason?: string;
}

/** Raises usage (2) for a plan that is too large to be read again. */
export function formatPlanFile(plan: PlanFile): string {
  const text = `${JSON.stringify({ schema_version: SCHEMA_VERSION, ...plan }, null, 2)}\n`;
  if (Buffer.byteLength(text) <= MAX_FILE_BYTES && plan.paths.length <= MAX_PATHS) return text;
  throw new CliError('usage', `a plan with ${plan.steps.length} formulas is too large; no plan was written`, {
    hint: 'Create plans of fewer folders.',
  });
}

/** Raises invalid (3) if the bytes are not a plan. `label` is the file's name for messages. */
export function parsePlanFile(bytes: Buffer, label: string): PlanFile {
  const createError = (problem: string, hint = 'To create a plan, run: formulary formula diff PATH --out FILE') =>
    new CliError('invalid', `${label} is not a valid plan: ${truncateText(problem, MAX_PROBLEM)}`, { hint });
  const parsed = parseJsonBody(bytes);
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value)) throw createError('it must be a JSON object');
  const version = value['schema_version'];
  if (typeof version === 'number' && version > SCHEMA_VERSION)
    throw createError(
      `schema_version must be ${SCHEMA_VERSION} (got ${version})`,
      'Update formulary to a version that reads this plan.',
    );
  const problem = findSchemaProblem(value) ?? findProblem(value as unknown as PlanFile);
  if (problem !== undefined) throw createError(problem);
  return value as unknown as PlanFile;
}

/** Characters of a problem in a message. */
const MAX_PROBLEM = 160;

function findSchemaProblem(value: unknown): string | undefined {
  const [problem] = validatePlan(value) ? [] : formatSchemaErrors(validatePlan.errors ?? [], value);
  // Otherwise the validator keeps the plan in memory.
  validatePlan.errors = null;
  const step = problem?.path[0] === 'steps' && problem.path.length > 1 ? `steps[${problem.path[1]}]: ` : '';
  return problem && step + problem.message;
}

/** A path in node_modules is not part of the repository. */
const isPath = (path: string) => findKeyProblem(path) === undefined && !path.split('/').includes('node_modules');

/** The first path outside the repository, or step for the folder or the formula of another step. */
function findProblem({ paths, excluded = [], steps }: PlanFile): string | undefined {
  const ownPaths = steps.flatMap(({ folder, lock_file: file, moved_from: from }) => [folder, file ?? '.', from ?? '.']);
  const outside = [...paths, ...excluded, ...ownPaths].find((path) => !isPath(path));
  if (outside !== undefined) return `every path must be in the repository (got ${JSON.stringify(outside)})`;
  const seen = new Set<string>();
  const isRepeated = (key: string) => seen.size === seen.add(key).size;
  for (const [i, { folder, id }] of steps.entries()) {
    if (isRepeated(`folder ${folder}`)) return `steps[${i}]: another step has the same folder`;
    if (id !== null && isRepeated(`id ${id.toLowerCase()}`)) return `steps[${i}]: another step has the same id`;
  }
  return undefined;
}
