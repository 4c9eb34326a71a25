/** The plan that diff --out saves and push --plan applies: JSON with hashes, without contents. Pure. */
import { parseJsonBody } from '../../api/http/json-body.ts';
import { CliError } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../files/regular-file.ts';
import { findKeyProblem } from '../../folder/lockfile.ts';
import { describeType, isObject } from '../../text/json-type.ts';

const SCHEMA_VERSION = 1;
/** Characters of a string that a message may show. */
export const MAX_TEXT = 10_000;
const MAX_PATHS = 20_000;
const ACTIONS = ['create', 'update', 'keep', 'delete', 'conflict'] as const;

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
  /** Made with --force. */
  force?: true;
  /** The paths that were compared, and the formulas in them that --exclude left out. */
  paths: readonly string[];
  excluded?: readonly string[];
  steps: readonly PlannedStep[];
}

export interface PlannedStep {
  action: (typeof ACTIONS)[number];
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
    new CliError('invalid', `${label} is not a valid plan: ${problem}`, { hint });
  const parsed = parseJsonBody(bytes);
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value)) throw createError('it must be a JSON object');
  const version = value['schema_version'];
  if (typeof version === 'number' && version > SCHEMA_VERSION)
    throw createError(
      `schema_version must be ${SCHEMA_VERSION} (got ${version})`,
      'Update formulary to a version that reads this plan.',
    );
  const problem = findProblem(value, PLAN_CHECKS) ?? findStepProblem((value as unknown as PlanFile).steps);
  if (problem !== undefined) throw createError(problem);
  return value as unknown as PlanFile;
}

type IsValid = (value: unknown) => boolean;
/** The requirement of each key, in words, and its check. */
type Checks = Readonly<Record<string, readonly [requirement: string, isValid: IsValid]>>;

const isText: IsValid = (value) => typeof value === 'string' && value.length <= MAX_TEXT;
const isFilled: IsValid = (value) => isText(value) && value !== '';
/** A path in node_modules is not part of the repository. */
const isPath: IsValid = (value) =>
  typeof value === 'string' && findKeyProblem(value) === undefined && !value.split('/').includes('node_modules');
const isCommit: IsValid = (value) => typeof value === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value);
const isList =
  (isValid: IsValid): IsValid =>
  (value) =>
    Array.isArray(value) && value.length <= MAX_PATHS && value.every(isValid);
const orNull =
  (isValid: IsValid): IsValid =>
  (value) =>
    value === null || isValid(value);
const orAbsent =
  (isValid: IsValid): IsValid =>
  (value) =>
    value === undefined || isValid(value);

const TEXT = `a string of at most ${MAX_TEXT} characters`;
const TRUE = ['true, or absent', orAbsent((value) => value === true)] as const;

const PLAN_CHECKS: Checks = {
  schema_version: [`${SCHEMA_VERSION}`, (value) => value === SCHEMA_VERSION],
  tool_version: [TEXT, isText],
  target: [TEXT, isText],
  base_url: [TEXT, isText],
  repository: [`${TEXT} that is not empty`, isFilled],
  commit: ['the id of a commit, or null', orNull(isCommit)],
  since: ['the id of a commit', orAbsent(isCommit)],
  force: TRUE,
  paths: [`an array of paths in the repository, at most ${MAX_PATHS}`, isList(isPath)],
  excluded: ['an array of paths in the repository', orAbsent(isList(isPath))],
  steps: ['an array of objects', (value) => Array.isArray(value) && value.every(isObject)],
};

const STEP_CHECKS: Checks = {
  action: [`one of ${ACTIONS.join(', ')}`, (value) => ACTIONS.includes(value as PlannedStep['action'])],
  folder: ['a path in the repository', isPath],
  lock_file: ['a path in the repository, or null', orNull(isPath)],
  id: [`${TEXT} that is not empty, or null`, orNull(isFilled)],
  name: [TEXT, isText],
  local_hash: [`${TEXT}, or null`, orNull(isText)],
  remote_hash: [`${TEXT}, or null`, orNull(isText)],
  moved_from: ['a path in the repository', orAbsent(isPath)],
  overwrites: TRUE,
  reason: [TEXT, orAbsent(isText)],
};

/** Characters of an invalid string in a message. */
const MAX_SHOWN = 40;

function findProblem(value: Record<string, unknown>, checks: Checks): string | undefined {
  const getOwn = (key: string) => (Object.hasOwn(value, key) ? value[key] : undefined);
  const format = (got: unknown) =>
    typeof got === 'string' ? JSON.stringify(got.slice(0, MAX_SHOWN)) : describeType(got);
  const found = Object.entries(checks).find(([key, [, isValid]]) => !isValid(getOwn(key)));
  return found && `${found[0]} must be ${found[1][0]} (got ${format(getOwn(found[0]))})`;
}

/** The first problem of a step, or of two steps for one folder or one formula. */
function findStepProblem(steps: readonly PlannedStep[]): string | undefined {
  const seen = new Set<string>();
  const isRepeated = (key: string) => seen.size === seen.add(key).size;
  for (const [i, step] of steps.entries()) {
    const problem =
      findProblem({ ...step }, STEP_CHECKS) ??
      (isRepeated(`folder ${step.folder}`) ? 'another step has the same folder' : undefined) ??
      (step.id !== null && isRepeated(`id ${step.id.toLowerCase()}`) ? 'another step has the same id' : undefined);
    if (problem !== undefined) return `steps[${i}]: ${problem}`;
  }
  return undefined;
}
