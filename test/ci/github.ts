/** Runs workflows of GitHub Actions, as far as the action and the recipes use them, with the steps' own shell. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { folderWith } from '../helpers/folders.ts';
import { type Contexts, evaluate, interpolate } from './expression.ts';
import { type Permissions, REPOSITORY } from './github-api.ts';
import { bash, type Environment, type Project, ROOT } from './project.ts';

export interface Step {
  id?: string;
  name?: string;
  uses?: string;
  with?: Record<string, string | number>;
  if?: string;
  run?: string;
  env?: Environment;
  'working-directory'?: string;
}

interface Job {
  if?: string;
  environment?: string;
  permissions?: Permissions;
  strategy?: { 'max-parallel'?: number; 'fail-fast'?: boolean; matrix: Record<string, string[]> };
  env?: Environment;
  steps: Step[];
}

export interface Workflow {
  on: Record<string, { branches?: string[] } | null>;
  permissions?: Permissions;
  jobs: Record<string, Job>;
}

/** What happened in the repository. */
export interface Event {
  name: string;
  ref: string;
  /** The commit that it is about; by default the newest of the ref when it happens. */
  sha?: string;
  /** Secrets of the repository; of environments, which only main may use. A fork has none. */
  secrets?: Environment;
  environments?: Record<string, Environment>;
  vars?: Environment;
  /** Of a manual run. */
  inputs?: Record<string, boolean>;
  /** Of a pull request. */
  pull?: { number: number; headSha: string; isFork?: boolean };
}

interface StepEnd {
  name: string;
  outcome: 'success' | 'failure' | 'skipped';
  code: number | null;
  log: string;
}

export interface JobEnd {
  job: string;
  steps: StepEnd[];
  log: string;
  summary: string;
  outputs: Environment;
}

interface Running {
  project: Project;
  event: Event;
  run: ReturnType<Project['github']['addRun']>;
  workspace: string;
  env: Environment;
  contexts: Contexts;
  ends: StepEnd[];
  outputs: Environment;
}

export const ACTION: {
  inputs: Record<string, { default?: string; description: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
} = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

/** Runs the jobs that an event starts; none if the workflow is not for it. */
export async function runWorkflow(project: Project, text: string, event: Event): Promise<JobEnd[]> {
  const workflow: Workflow = parse(text);
  if (!isTriggered(workflow, event)) return [];
  const started = { ...event, sha: event.sha ?? (await project.git('rev-parse', event.ref)) };
  const repository = event.pull?.isFork ? 'somebody/fork' : REPOSITORY;
  const run = project.github.addRun(event.name, event.pull?.headSha ?? started.sha, repository);
  const ends: JobEnd[] = [];
  for (const [name, job] of Object.entries(workflow.jobs)) {
    const jobs = variants(job).map(
      (matrix) => () => runJob(project, workflow, name, job, { event: started, run, matrix }),
    );
    if (job.strategy?.['max-parallel'] === 1) for (const start of jobs) ends.push(...(await start()));
    else ends.push(...(await Promise.all(jobs.map((start) => start()))).flat());
  }
  return ends;
}

/** `branches` limits pushes to branches, and leaves tags out; `paths` is taken to match. */
function isTriggered({ on }: Workflow, { name, ref }: Event): boolean {
  if (!(name in on)) return false;
  const branches = on[name]?.branches;
  return branches === undefined || name !== 'push' || branches.some((branch) => ref === `refs/heads/${branch}`);
}

const variants = ({ strategy }: Job): Contexts[] =>
  Object.entries(strategy?.matrix ?? {}).reduce<Contexts[]>(
    (all, [key, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [`matrix.${key}`]: value }))),
    [{}],
  );

async function runJob(
  project: Project,
  workflow: Workflow,
  name: string,
  job: Job,
  { event, run, matrix }: { event: Event; run: Running['run']; matrix: Contexts },
): Promise<JobEnd[]> {
  const contexts: Contexts = { ...githubContext(event), ...matrix };
  if (job.if !== undefined && !evaluate(job.if, contexts)) return [];
  const environment = interpolate(job.environment ?? '', contexts);
  const secrets = { ...event.secrets, ...(event.ref === 'refs/heads/main' && event.environments?.[environment]) };
  const workspace = folderWith();
  const permissions = limitPermissions(job.permissions ?? workflow.permissions ?? {}, event);
  const temp = folderWith();
  const summary = join(folderWith(), 'summary.md');
  const running: Running = {
    project,
    event,
    run,
    workspace,
    env: {
      ...project.computer(),
      ...(permissions['contents'] === 'write' && { MAY_PUSH: '1' }),
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: project.github.url,
      GITHUB_REF_NAME: String(contexts['github.ref_name']),
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ID: String(run.id),
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_SHA: event.sha ?? '',
      GITHUB_WORKSPACE: workspace,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: temp,
    },
    contexts: {
      ...contexts,
      ...named('secrets', secrets),
      ...named('vars', event.vars),
      'github.token': project.github.createToken(permissions),
      'runner.temp': temp,
    },
    ends: [],
    outputs: {},
  };
  await runSteps(running, job.steps, job.env ?? {});
  const text = existsSync(summary) ? readFileSync(summary, 'utf8') : '';
  const log = running.ends.map((end) => end.log).join('');
  return [{ job: name, steps: running.ends, log, summary: text, outputs: running.outputs }];
}

/** The token of a pull request from a fork may only read. */
const limitPermissions = (permissions: Permissions, { pull }: Event): Permissions =>
  pull?.isFork ? Object.fromEntries(Object.keys(permissions).map((name) => [name, 'read'])) : permissions;

const githubContext = ({ name, ref, inputs, pull }: Event): Contexts => ({
  ...Object.fromEntries(Object.entries(inputs ?? {}).map(([key, value]) => [`inputs.${key}`, value])),
  ...(pull && {
    'github.event.pull_request.number': String(pull.number),
    'github.event.pull_request.head.sha': pull.headSha,
  }),
  'github.event_name': name,
  'github.ref': ref,
  'github.ref_name': ref.replace(/^refs\/(heads|tags)\//, ''),
  // Payloads of some events have no repository.
  'github.event.repository.default_branch': name === 'schedule' ? '' : 'main',
});

const named = (context: string, values: Environment = {}): Environment =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${context}.${key}`, value]));

/** Runs steps in order, after a failure only those with `always()` or `cancelled()`; gives their outputs. */
async function runSteps(running: Running, steps: readonly Step[], env: Environment): Promise<Environment> {
  let hasFailed = false;
  const outputs: Environment = {};
  for (const step of steps) {
    const before = running.ends.length;
    const contexts = { ...running.contexts, ...named('env', env), ...outputs };
    const isDue = step.if === undefined || Boolean(evaluate(step.if, contexts));
    if (!isDue || (hasFailed && !/(always|cancelled)\(\)/.test(step.if ?? ''))) {
      running.ends.push({ name: step.name ?? step.uses ?? '', outcome: 'skipped', code: null, log: '' });
      continue;
    }
    Object.assign(outputs, await runStep({ ...running, contexts }, step, env));
    hasFailed ||= running.ends.slice(before).some(({ outcome }) => outcome === 'failure');
  }
  return outputs;
}

/** Runs one step; gives its outputs, as `steps.<id>.outputs.<name>`. */
async function runStep(running: Running, step: Step, env: Environment): Promise<Environment> {
  const own = { ...env, ...values(step.env, running.contexts) };
  if (step.run !== undefined) return runScript(running, step, own);
  if (step.uses?.startsWith('./')) return runAction(running, step, own);
  const inputs = values(step.with, running.contexts);
  const { project, run } = running;
  if (step.uses?.startsWith('actions/checkout@')) await checkout(running, inputs);
  if (step.uses?.startsWith('actions/upload-artifact@'))
    project.github.upload(run, inputs['name'] ?? '', inputs['path'] ?? '');
  if (step.uses?.startsWith('actions/download-artifact@'))
    project.github.download(
      inputs['github-token'] ?? '',
      inputs['run-id'] ?? '',
      inputs['name'] ?? '',
      inputs['path'] ?? '',
    );
  return {};
}

async function runAction(running: Running, step: Step, env: Environment): Promise<Environment> {
  const defaults = Object.entries(ACTION.inputs).map(([key, { default: value = '' }]) => [key, value]);
  const inputs = { ...Object.fromEntries(defaults), ...values(step.with, running.contexts) };
  const contexts = { ...running.contexts, ...named('inputs', inputs) };
  const outputs = await runSteps({ ...running, contexts }, ACTION.runs.steps, env);
  const own = Object.entries(ACTION.outputs).map(([key, { value }]) => [key, interpolate(value, outputs)]);
  return named(`steps.${step.id}.outputs`, Object.fromEntries(own));
}

const values = (texts: Record<string, string | number> = {}, contexts: Contexts): Environment =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, interpolate(String(text), contexts)]));

/** `actions/checkout`: the commit of the event, or the newest of `ref`; with all history and tags if the depth is 0. */
async function checkout({ project, event, workspace, env }: Running, inputs: Environment): Promise<void> {
  const wanted = inputs['ref'] || event.sha || event.ref;
  const depth = inputs['fetch-depth'] === '0' ? "'+refs/heads/*:refs/remotes/origin/*' --tags" : '--depth=1';
  const script = `git init -q . && git remote add origin "file://$ORIGIN" && git fetch -q origin ${depth} && git fetch -q ${depth === '--depth=1' ? depth : ''} origin "$WANTED" && git checkout -q --detach FETCH_HEAD`;
  const { code, log } = await bash(script, workspace, { ...env, ORIGIN: project.origin, WANTED: wanted });
  if (code !== 0) throw new Error(log);
}

async function runScript(running: Running, step: Step, env: Environment): Promise<Environment> {
  const { workspace, contexts } = running;
  const file = join(folderWith(), 'output');
  const cwd = join(workspace, interpolate(step['working-directory'] ?? '.', contexts));
  mkdirSync(cwd, { recursive: true });
  const own = { ...running.env, ...env, GITHUB_OUTPUT: file };
  const { code, log } = await bash(interpolate(step.run ?? '', contexts), cwd, own);
  running.ends.push({ name: step.name ?? '', outcome: code === 0 ? 'success' : 'failure', code, log });
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  const outputs = Object.fromEntries(
    lines.map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  );
  Object.assign(running.outputs, outputs);
  return named(`steps.${step.id}.outputs`, outputs);
}
