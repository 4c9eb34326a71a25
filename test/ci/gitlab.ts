/** Runs pipelines of GitLab, as far as the recipe uses them, with the jobs' own shell. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { folderWith } from '../helpers/folders.ts';
import { PROJECT_ID } from './gitlab-api.ts';
import { bash, type Ended, type Environment, type Project } from './project.ts';

interface Rule {
  if?: string;
  when?: string;
}

interface Job {
  rules?: Rule[];
  environment?: string | { name: string; action?: string };
  variables?: Environment;
  before_script?: string[];
  script: string[];
  artifacts?: { paths?: string[] };
}

/** A CI/CD variable of the project. */
export interface Variable {
  name: string;
  value: string;
  /** The environment whose jobs get it; `*` is all. */
  scope: string;
  isProtected: boolean;
}

/** What happened: each may start a pipeline. */
export interface Cause {
  source: 'push' | 'merge_request_event' | 'schedule' | 'web';
  branch?: string;
  tag?: string;
  /** Variables that somebody typed for the pipeline. */
  typed?: Environment;
  /** The commit that it is about; by default the newest of the branch or tag. */
  sha?: string;
}

export interface JobEnd extends Ended {
  job: string;
}

const DEFAULT_BRANCH = 'main';
/** The merge request that all pipelines of merge requests are of. */
export const MERGE_REQUEST = 1;
const NOT_JOBS = ['workflow', 'stages', 'default', 'variables'];

/** The variables by which GitLab tells jobs, and rules, what they run for. */
function causeVariables({ source, branch = '', tag = '', typed }: Cause): Environment {
  const isMergeRequest = source === 'merge_request_event';
  return {
    CI_PIPELINE_SOURCE: source,
    CI_DEFAULT_BRANCH: DEFAULT_BRANCH,
    ...(branch && !isMergeRequest && { CI_COMMIT_BRANCH: branch }),
    ...(tag && { CI_COMMIT_TAG: tag }),
    CI_SERVER_HOST: 'gitlab.example',
    CI_SERVER_FQDN: 'gitlab.example',
    CI_SERVER_PROTOCOL: 'https',
    CI_PROJECT_PATH: 'group/project',
    CI_PROJECT_ID: PROJECT_ID,
    CI_JOB_URL: 'https://gitlab.example/job',
    ...(isMergeRequest && { CI_MERGE_REQUEST_IID: String(MERGE_REQUEST) }),
    ...typed,
  };
}

/** Runs the pipeline that a cause starts, job by job until one fails; undefined if there is none. */
export async function runPipeline(
  project: Project,
  text: string,
  cause: Cause,
  variables: readonly Variable[],
): Promise<JobEnd[] | undefined> {
  const file = parse(text);
  const own = causeVariables(cause);
  const workflow: Rule[] | undefined = file.workflow?.rules;
  if (workflow && !matches(workflow, own)) return undefined;
  const ends: JobEnd[] = [];
  const jobs = Object.entries<Job>(file).filter(([name]) => !NOT_JOBS.includes(name));
  for (const [name, job] of jobs) {
    // Without any rules, jobs are for branches and tags alone.
    const isDue = job.rules
      ? matches(job.rules, own)
      : workflow !== undefined || cause.source !== 'merge_request_event';
    if (!isDue || ends.some(({ code }) => code !== 0)) continue;
    ends.push({ job: name, ...(await runJob(project, withDefaults(file, job), cause, own, variables)) });
  }
  return ends.length > 0 ? ends : undefined;
}

/** Variables of the file are those of all jobs. */
const withDefaults = (file: { default?: Partial<Job>; variables?: Environment }, job: Job): Job => ({
  ...file.default,
  ...job,
  variables: { ...file.variables, ...job.variables },
});

async function runJob(
  project: Project,
  job: Job,
  cause: Cause,
  own: Environment,
  variables: readonly Variable[],
): Promise<Ended> {
  const environment = typeof job.environment === 'object' ? job.environment.name : job.environment;
  const isProtected = cause.source !== 'merge_request_event' && cause.branch === DEFAULT_BRANCH;
  const given = variables.filter(
    (variable) => ['*', environment].includes(variable.scope) && (isProtected || !variable.isProtected),
  );
  const env: Environment = {
    ...project.computer(),
    ...own,
    CI_API_V4_URL: project.gitlab.url,
    CI_COMMIT_SHA: cause.sha ?? (await project.git('rev-parse', cause.branch ?? cause.tag ?? '')),
    ...Object.fromEntries(given.map(({ name, value }) => [name, value])),
    GITLAB_CI: 'true',
  };
  const expanded = Object.entries(job.variables ?? {}).map(([name, value]) => [name, expand(value, env)]);
  Object.assign(env, Object.fromEntries(expanded), pushAccess(project, env));
  const workspace = join(folderWith(), 'project');
  const ref = cause.sha ?? cause.branch ?? cause.tag ?? '';
  const clone = `git init -q "${workspace}" && cd "${workspace}" && git remote add origin "file://${project.origin}" && git fetch -q ${env['GIT_DEPTH'] === '0' ? '' : '--depth=20'} origin "${ref}" && git checkout -q --detach FETCH_HEAD`;
  const { code, log } = await bash(clone, folderWith(), env);
  if (code !== 0) throw new Error(log);
  const end = await bash([...(job.before_script ?? []), ...job.script].join('\n'), workspace, env);
  const plan = join(workspace, 'formulary-plan.json');
  if (end.code === 0 && job.artifacts?.paths?.includes('formulary-plan.json') && existsSync(plan))
    project.gitlab.plans.set(`refs/merge-requests/${MERGE_REQUEST}/head`, readFileSync(plan, 'utf8'));
  return end;
}

/** The job token may not push; a URL with the token that may is the repository. */
const pushAccess = ({ origin }: Project, env: Environment): Environment => ({
  MAY_PUSH: env['FORMULARY_PUSH_TOKEN'] === undefined ? '0' : '1',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: `url.${origin}.insteadOf`,
  GIT_CONFIG_VALUE_0: `https://formulary:${env['FORMULARY_PUSH_TOKEN']}@gitlab.example/group/project.git`,
});

const expand = (text: string, env: Environment) => text.replace(/\$(\w+)/g, (_, name: string) => env[name] ?? '');

/** True if the first rule that matches lets it run. */
function matches(rules: readonly Rule[], env: Environment): boolean {
  const rule = rules.find((candidate) => candidate.if === undefined || condition(candidate.if, env));
  return rule !== undefined && rule.when !== 'never';
}

/** `$A == "b"`, `$A == $B`, `$A =~ /c/`, `$A`, joined by `&&`. */
const condition = (text: string, env: Environment): boolean =>
  text.split(' && ').every((part) => {
    const [, left = '', operator, right = ''] = /^(\S+)(?: (==|=~) (.+))?$/.exec(part) ?? [];
    const value = env[left.slice(1)];
    if (operator === '==') return value === (right.startsWith('$') ? env[right.slice(1)] : right.slice(1, -1));
    if (operator === '=~') return new RegExp(right.slice(1, -1)).test(value ?? '');
    return Boolean(value);
  });
