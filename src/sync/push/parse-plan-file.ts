/** Parses a plan file, and checks that its parts match. Pure. */
import { isFormula } from '../../api/formula-guards.ts';
import { parseJsonBody } from '../../api/http/json-body.ts';
import { CliError } from '../../errors.ts';
import { findKeyProblem } from '../../folder/lockfile.ts';
import { hashContent } from '../../formula-fields.ts';
import { describeType, isObject } from '../../text/json-type.ts';
import { ACTIONS, MAX_PATHS, MAX_TEXT, type PlanFile, type PlannedStep, SCHEMA_VERSION } from './plan-file.ts';

/** Characters of an invalid string in a message. */
const MAX_SHOWN = 40;

/** Raises invalid (3) if the bytes are not a plan, or a part of it contradicts another. `label` is the file's name for messages. */
export function parsePlanFile(bytes: Buffer, label: string): PlanFile {
  const createError = (problem: string, hint?: string) =>
    new CliError('invalid', `${label} is not a valid plan: ${problem}`, { hint: hint ?? NEW_PLAN_HINT });
  const value = parseJson(bytes);
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

const NEW_PLAN_HINT = 'To create a plan, run: formulary formula diff PATH --out FILE';

/** Undefined for text that is not JSON, is nested too deep, or has too many values. */
function parseJson(bytes: Buffer): unknown {
  const parsed = parseJsonBody(bytes);
  return 'value' in parsed ? parsed.value : undefined;
}

const isText = (value: unknown) => typeof value === 'string' && value.length <= MAX_TEXT;
/** A path in node_modules is not part of the repository. */
const isPath = (value: unknown) =>
  typeof value === 'string' && findKeyProblem(value) === undefined && !value.split('/').includes('node_modules');
const isCommit = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value);
const isNullOr = (isValid: (value: unknown) => boolean) => (value: unknown) => value === null || isValid(value);
const isOptional = (isValid: (value: unknown) => boolean) => (value: unknown) => value === undefined || isValid(value);
const isTrue = (value: unknown) => value === true;

const TEXT = `a string of at most ${MAX_TEXT} characters`;

/** The requirement of each key, in words, and its check. */
type Checks = Readonly<Record<string, readonly [requirement: string, isValid: (value: unknown) => boolean]>>;

const PLAN_CHECKS: Checks = {
  schema_version: [`${SCHEMA_VERSION}`, (value) => value === SCHEMA_VERSION],
  tool_version: [TEXT, isText],
  target: [TEXT, isText],
  base_url: [TEXT, isText],
  commit: ['the id of a commit, or null', isNullOr(isCommit)],
  since: ['the id of a commit', isOptional(isCommit)],
  force: ['true, or absent', isOptional(isTrue)],
  paths: [
    `an array of paths in the repository, at most ${MAX_PATHS}`,
    (value) => Array.isArray(value) && value.length <= MAX_PATHS && value.every(isPath),
  ],
  steps: ['an array of objects', (value) => Array.isArray(value) && value.every(isObject)],
};

/** Whether a content is complete: the comparison with folders and service relies on its fields. */
const isBody = (value: unknown) => {
  if (!isObject(value)) return false;
  const { name, type, code, configuration, request_parameters } = value;
  const isComplete = Array.isArray(configuration) && Array.isArray(request_parameters) && typeof code === 'string';
  return isComplete && (type === 'private' || type === 'official') && isFormula({ ...value, id: 'any', name });
};

const STEP_CHECKS: Checks = {
  action: [`one of ${ACTIONS.join(', ')}`, (value) => ACTIONS.includes(value as PlannedStep['action'])],
  folder: ['a path in the repository', isPath],
  lock_file: ['a path in the repository, or null', isNullOr(isPath)],
  id: [`${TEXT} that is not empty, or null`, isNullOr((value) => isText(value) && value !== '')],
  name: [TEXT, isText],
  overwrites: ['true, or absent', isOptional(isTrue)],
  reason: [TEXT, isOptional(isText)],
  local: ['the content of a formula, or null', isNullOr(isBody)],
  remote: ['the content of a formula, or null', isNullOr(isBody)],
};

const findProblem = (value: Record<string, unknown>, checks: Checks): string | undefined =>
  Object.entries(checks)
    .filter(([key, [, isValid]]) => !isValid(Object.hasOwn(value, key) ? value[key] : undefined))
    .map(([key, [requirement]]) => `${key} must be ${requirement} (got ${describeValue(value[key])})`)[0];

const describeValue = (value: unknown) =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_SHOWN)) : describeType(value);

/** The first problem of a step, or of two steps for one folder or one formula. */
function findStepProblem(steps: readonly PlannedStep[]): string | undefined {
  const seen = new Set<string>();
  const isRepeated = (key: string) => seen.size === seen.add(key).size;
  for (const [i, step] of steps.entries()) {
    const problem =
      findProblem({ ...step }, STEP_CHECKS) ??
      findContradiction(step) ??
      (isRepeated(`folder ${step.folder}`) ? 'another step has the same folder' : undefined) ??
      (step.id !== null && isRepeated(`id ${step.id.toLowerCase()}`) ? 'another step has the same id' : undefined);
    if (problem !== undefined) return `steps[${i}]: ${problem}`;
  }
  return undefined;
}

/** Whether the steps of each action have a local and a remote content. */
const CONTENTS: Readonly<Record<string, readonly [local: boolean, remote: boolean]>> = {
  create: [true, false],
  update: [true, true],
  delete: [false, true],
};

/** Finds a content that does not match the action, the name, or its hash, as in a plan that was edited. */
function findContradiction({ action, id, name, local, remote, ...step }: PlannedStep): string | undefined {
  const [hasLocal, hasRemote] = CONTENTS[action] ?? [local !== null, remote !== null];
  if ((local !== null) !== hasLocal || (remote !== null) !== hasRemote || (id !== null) !== hasRemote)
    return `the id and the contents must match the action ${action}`;
  if (step.local_hash !== (local && hashContent(local))) return 'local_hash must be the hash of local';
  if (step.remote_hash !== (remote && hashContent(remote))) return 'remote_hash must be the hash of remote';
  return (local ?? remote)?.name === name || action === 'conflict' ? undefined : 'name must be the name of its content';
}
