/** Runs the steps of action.yml with their own shell. Expressions are evaluated by GitHub's own library. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { parse } from 'yaml';
import { folderWith } from '../helpers/folders.ts';
import { bash, type Environment, type Repository, ROOT } from './repository.ts';

interface Step {
  id?: string;
  name: string;
  if?: string;
  run: string;
  env?: Environment;
  'working-directory'?: string;
}

export const ACTION: {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
} = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

export interface Event {
  name: string;
  ref: string;
  /** The base branch of a pull request. */
  base?: string;
  /** The number and the head of a pull request. */
  pull?: { number: number; head: { sha: string } };
  /** The URL of GitHub's API. */
  api?: string;
  /** True if the job has no permission to push. */
  isReadOnly?: boolean;
}

export const MAIN: Event = { name: 'push', ref: 'refs/heads/main' };

export interface JobResult {
  /** Those of Check, Plan, and Push that succeeded. */
  ran: string[];
  /** The steps that failed, with their exit codes. */
  failed: [string, number | null][];
  log: string;
  summary: string;
  outputs: Environment;
}

const FUNCTIONS = [
  { name: 'always', minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(true) },
  { name: 'cancelled', minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(false) },
];

function evaluate(expression: string, contexts: object) {
  const { tokens } = new Lexer(expression).lex();
  const tree = new Parser(tokens, Object.keys(contexts), FUNCTIONS).parse();
  const values = JSON.parse(JSON.stringify(contexts), data.reviver);
  return new Evaluator(tree, values, new Map(FUNCTIONS.map((one) => [one.name, one]))).evaluate();
}

const interpolate = (text: string, contexts: object): string =>
  text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => evaluate(expression, contexts).coerceString());

type Steps = Record<string, { outputs: Environment }>;

const shortName = (ref: string) => ref.replace(/^refs\/(heads|tags)\//, '');

/** The contexts of expressions. */
const createContexts = (event: Event, inputs: Environment, temp: string, steps: Steps) => ({
  inputs,
  env: {},
  github: {
    event_name: event.name,
    ref: event.ref,
    base_ref: event.base ?? '',
    ref_name: shortName(event.ref),
    token: 'token-of-the-job',
    // Payloads of some events have no repository.
    event: { pull_request: event.pull, ...(event.name !== 'schedule' && { repository: { default_branch: 'main' } }) },
  },
  runner: { temp },
  steps,
});

/** True if a step runs: after a failure only with `always()` or `cancelled()` in its condition. */
const isDue = ({ if: condition = 'always()' }: Step, hasFailed: boolean, contexts: object) =>
  (!hasFailed || /(always|cancelled)\(\)/.test(condition)) && evaluate(condition, contexts).coerceString() === 'true';

/** Runs the action on an event, as the only step of a job that checked out the ref of the event. */
export async function runAction(repo: Repository, event: Event, given: Environment = {}): Promise<JobResult> {
  const workspace = await repo.checkout(event.ref);
  const temp = folderWith({ 'summary.md': '' });
  const defaults = Object.entries(ACTION.inputs).map(([name, { default: value = '' }]) => [name, value]);
  const service = { 'api-key': repo.key, 'base-url': repo.url, target: 'production' };
  const steps: Steps = {};
  const contexts = createContexts(event, { ...Object.fromEntries(defaults), ...service, ...given }, temp, steps);
  const env = {
    ...repo.computer(),
    MAY_PUSH: event.isReadOnly ? '0' : '1',
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: event.api ?? 'http://127.0.0.1:9',
    GITHUB_REF_NAME: shortName(event.ref),
    GITHUB_REPOSITORY: 'owner/project',
    GITHUB_RUN_ID: '1',
    GITHUB_SERVER_URL: 'https://github.example',
    GITHUB_SHA: await repo.git('rev-parse', event.ref),
    GITHUB_WORKSPACE: workspace,
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
    RUNNER_TEMP: temp,
  };
  const result: JobResult = { ran: [], failed: [], log: '', summary: '', outputs: {} };
  for (const step of ACTION.runs.steps) {
    const hasFailed = result.failed.length > 0;
    // Without a condition a step runs if none failed.
    if ((hasFailed && step.if === undefined) || !isDue(step, hasFailed, contexts)) continue;
    const { code, log, outputs } = await runStep(step, workspace, env, contexts);
    result.log += log;
    if (code !== 0) result.failed.push([step.name, code]);
    else if (/^(Check|Plan|Push)$/.test(step.name)) result.ran.push(step.name);
    if (step.id) steps[step.id] = { outputs };
  }
  result.summary = readFileSync(join(temp, 'summary.md'), 'utf8');
  for (const [name, { value }] of Object.entries(ACTION.outputs)) result.outputs[name] = interpolate(value, contexts);
  return result;
}

async function runStep(step: Step, workspace: string, env: Environment, contexts: object) {
  const file = join(folderWith({ output: '' }), 'output');
  const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, interpolate(String(value), contexts)]);
  const cwd = join(workspace, interpolate(step['working-directory'] ?? '.', contexts));
  const result = await bash(step.run, cwd, { ...env, ...Object.fromEntries(own), GITHUB_OUTPUT: file });
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return { ...result, outputs: Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2))) };
}
