/** The GitLab recipe, docs/gitlab-ci.yml: the scripts of its jobs are run with bash, against a Git server and a service. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { folderWith } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { bash, type Environment, type Repository, ROOT, renamed, repository } from './repository.ts';

interface Job {
  environment?: string | { name: string };
  variables?: Environment;
  script: string[];
}

const RECIPE: Record<'check' | 'plan' | 'publish', Job> & {
  variables: Environment;
  default: { before_script: string[] };
} = parse(readFileSync(join(ROOT, 'docs/gitlab-ci.yml'), 'utf8'));

const LOCK = 'formulas/formulas.lock.json';
const CHANGE = { 'formulas/a/code.js': 'module.exports = async (req) => ({ raw: req.args });\n' };

interface Run {
  ref?: string;
  env?: Environment;
  /** Changes the checkout before the scripts run. */
  prepare?: (checkout: string) => void;
}

/** Runs a job with the key of its environment, as the document's table of variables has it. */
async function runJob(
  repo: Repository,
  name: 'check' | 'plan' | 'publish',
  { ref = 'main', env = {}, prepare }: Run = {},
) {
  const checkout = await repo.checkout(ref);
  prepare?.(checkout);
  const job = RECIPE[name];
  const key = { check: undefined, plan: repo.readKey, publish: repo.key }[name];
  const own: Environment = {
    ...repo.computer(),
    CI_DEFAULT_BRANCH: 'main',
    CI_COMMIT_SHA: await repo.git('rev-parse', ref),
    CI_JOB_URL: 'https://gitlab.example/job',
    CI_MERGE_REQUEST_IID: '1',
    CI_PIPELINE_SOURCE: name === 'plan' ? 'merge_request_event' : 'push',
    CI_PROJECT_ID: '42',
    CI_PROJECT_PATH: 'group/project',
    CI_SERVER_FQDN: 'gitlab.example',
    CI_SERVER_HOST: 'gitlab.example',
    CI_SERVER_PROTOCOL: 'https',
    FORMULARY_BASE_URL: repo.url,
    FORMULARY_PUSH_TOKEN: 'push-token',
    ...(key && { FORMULARY_API_KEY: key }),
    ...env,
  };
  const variables = Object.entries({ ...RECIPE.variables, ...job.variables }).map(([variable, value]) => [
    variable,
    value.replace(/\$(\w+)/g, (_, from: string) => own[from] ?? ''),
  ]);
  // The job token may not push; a URL with the token that may is the repository.
  const access = {
    MAY_PUSH: own['FORMULARY_PUSH_TOKEN'] ? '1' : '0',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${repo.origin}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://formulary:push-token@gitlab.example/group/project.git',
  };
  const script = [...RECIPE.default.before_script, ...job.script].join('\n');
  const { code, log } = await bash(script, checkout, { ...own, ...Object.fromEntries(variables), ...access, ...env });
  return { code, log, plan: join(checkout, 'formulary-plan.json') };
}

/** The part of GitLab's API that the recipe uses: the notes of a merge request, and the plan of the merged one. */
async function gitlab(plan = '', mergeRequest: object = {}) {
  const notes: { id: number; body: string; author: { id: number } }[] = [];
  const { url } = await loopback(({ method, url: path, headers, body }, response) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    if (headers.authorization !== 'Bearer token') return json(response, 401, {});
    if (pathname === '/user') return json(response, 200, { id: 7 });
    if (pathname.endsWith('/merge_requests'))
      return json(response, 200, [{ iid: 1, state: 'merged', source_project_id: 42, ...mergeRequest }]);
    if (pathname.endsWith('/raw/formulary-plan.json')) return void response.end(plan);
    const start = (Number(searchParams.get('page')) - 1) * 100;
    if (method === 'GET') return json(response, 200, notes.slice(start, start + 100));
    const note = { id: notes.length + 1, author: { id: 7 }, ...JSON.parse(body) };
    if (method === 'POST') notes.push(note);
    else Object.assign(notes.find(({ id }) => pathname.endsWith(`/${id}`)) ?? {}, JSON.parse(body));
    json(response, 200, note);
  });
  return { notes, env: { CI_API_V4_URL: url, FORMULARY_GITLAB_TOKEN: 'token' } };
}

describe('the job check of the GitLab recipe', () => {
  it('validates and tests all folders but the excluded ones, without a key', async () => {
    const repo = await repository('a', 'b');
    expect((await runJob(repo, 'check')).code).toBe(0);
    await repo.commit({ 'formulas/b/tests/one.json': '{"args": {"card": {"number": "4"}}, "expect": {"raw": 1}}' });
    expect((await runJob(repo, 'check')).code).toBe(1);
    const [first, second] = [await runJob(repo, 'check', { env: { EXCLUDE: '--exclude b' } }), repo.installed()];
    expect(first.code).toBe(0);
    expect(new Set(second)).toEqual(new Set([expect.stringMatching(/^npm install .* key=none$/)]));
  });
});

describe('the job plan of the GitLab recipe', () => {
  it('plans with the key that has only reactor:read, and prints nothing fatal before the first publication', async () => {
    const repo = await repository('a');
    const { code, log } = await runJob(repo, 'plan');
    expect(code).toBe(0);
    expect(log).toContain('1 to create');
    expect(log).not.toContain('fatal');
    expect(await repo.published()).toEqual([]);
  });

  it('makes no plan without a key, as in a fork', async () => {
    const { code, log } = await runJob(await repository('a'), 'plan', { env: { FORMULARY_API_KEY: '' } });
    expect({ code, log }).toEqual({ code: 0, log: 'No plan: there is no API key.\n' });
  });

  it('writes one note, updates it, and never the one of somebody who copied the marker', async () => {
    const repo = await repository('a');
    const { notes, env } = await gitlab();
    await runJob(repo, 'plan', { env });
    const [{ body = '' } = {}] = notes.splice(0);
    expect(body).toMatch(/^<!-- formulary-plan -->\n## Plan for `production`\n\n\*\*1 to create/);
    for (let id = 1; id <= 120; id++) notes.push({ id, body, author: { id: 99 } });
    for (const _ of [1, 2]) await runJob(repo, 'plan', { env });
    expect(notes).toHaveLength(121);
  });

  it('names the cause after a failure', async () => {
    const repo = await repository('a');
    const { notes, env } = await gitlab();
    const { code } = await runJob(repo, 'plan', { env: { ...env, FORMULARY_API_KEY: 'key_of-somebody-else' } });
    expect(code).toBe(4);
    expect(notes[0]?.body).toMatch(/made: formula diff exited with 4\.\n\n(?: {4}.*\n)* {4}error: /);
  });

  it('neither shows nor replaces a file that the branch links to, and does not need the token', async () => {
    const repo = await repository('a');
    const { notes, env } = await gitlab();
    const secret = join(folderWith({ secret: 'of the runner' }), 'secret');
    const prepare = (checkout: string) => {
      for (const name of ['formulary-plan.md', 'formulary-plan.json', 'error.txt'])
        symlinkSync(secret, join(checkout, name));
    };
    expect((await runJob(repo, 'plan', { env, prepare })).code).toBe(0);
    expect(notes.map(({ body }) => body)).toEqual([expect.stringContaining('1 to create')]);
    expect(readFileSync(secret, 'utf8')).toBe('of the runner');
    const { code, log } = await runJob(repo, 'plan', { env: { ...env, FORMULARY_GITLAB_TOKEN: 'wrong' } });
    expect(code).toBe(0);
    expect(log).toContain('The note could not be written. Check FORMULARY_GITLAB_TOKEN.');
  });
});

describe('the job publish of the GitLab recipe', () => {
  it('publishes the newest commit, commits the lock file, and uses it for a rename', async () => {
    const repo = await repository('a');
    const event = await repo.git('rev-parse', 'main');
    const first = await runJob(repo, 'publish');
    expect(first.code).toBe(0);
    expect(first.log).not.toContain('fatal');
    const [created] = await repo.published();
    expect(await repo.git('show', `main:${LOCK}`)).toContain(created?.id);
    expect(await repo.git('log', '-1', '--format=%s,%an,%ae', 'main')).toBe(
      'Update formulas.lock.json [skip ci],formulary,formulary@gitlab.example',
    );
    await repo.commit(renamed('a', 'renamed'));
    // An old pipeline that is run again publishes the newest commit too.
    expect((await runJob(repo, 'publish', { ref: event })).code).toBe(0);
    expect(await repo.published()).toEqual([{ name: 'renamed', id: created?.id }]);
    expect(await repo.git('rev-parse', 'published/production')).toBe(await repo.git('rev-parse', 'main'));
  });

  it('commits the lock file to a branch that changed during the push', async () => {
    const repo = await repository('a');
    await repo.commit({ 'README.md': 'theirs' }, 'theirs');
    repo.meanwhile(`git -C ${repo.origin} update-ref refs/heads/main refs/heads/theirs`);
    expect((await runJob(repo, 'publish')).code).toBe(0);
    expect(await repo.git('log', '--format=%s', '-2', 'main')).toBe('Update formulas.lock.json [skip ci]\nA change');
  });

  it.each([
    [
      'without permission to push',
      {},
      { FORMULARY_PUSH_TOKEN: '' },
      'could not be pushed to main. Check that this job may push there.',
    ],
    ['if git skips it', { '.gitignore': 'formulas.lock.json\n' }, {}, 'is ignored by git; remove it from .gitignore.'],
  ])('fails %s', async (_, files, env, message) => {
    const repo = await repository('a');
    await repo.commit({ 'README.md': 'later', ...files });
    const { code, log } = await runJob(repo, 'publish', { env });
    expect(code).toBe(1);
    expect(log).toContain(`formulas.lock.json ${message}`);
  });

  it('commits the lock file of a push that partly failed, and fails with its exit code', async () => {
    const repo = await repository('a', 'b');
    for (const _ of [1, 2]) await repo.createElsewhere('b');
    expect((await runJob(repo, 'publish')).code).toBe(7);
    expect(await repo.git('show', `main:${LOCK}`)).toContain('"a"');
  });
});

/** A published repository whose branch feature changes a formula; returns the plan of the merge request. */
async function planned(repo: Repository): Promise<string> {
  expect((await runJob(repo, 'publish')).code).toBe(0);
  await repo.commit(CHANGE, 'feature');
  const { plan } = await runJob(repo, 'plan', { ref: 'feature' });
  await repo.git('update-ref', 'refs/heads/main', 'refs/heads/feature');
  return readFileSync(plan, 'utf8');
}

describe('the plan of a merge request', () => {
  it('is what its merge publishes, and nothing else', async () => {
    const repo = await repository('a', 'b');
    const { env } = await gitlab(await planned(repo));
    await repo.deleteElsewhere('b');
    expect((await runJob(repo, 'publish', { env })).code).toBe(0);
    expect((await repo.published()).map(({ name }) => name)).toEqual(['a']);
    expect(await repo.git('rev-parse', 'published/production')).toBe(await repo.git('rev-parse', 'main'));
  });

  it('is not applied after somebody changed the service, until a manual pipeline forces it', async () => {
    const repo = await repository('a');
    const { env } = await gitlab(await planned(repo));
    const tag = await repo.git('rev-parse', 'published/production');
    await repo.changeElsewhere('a');
    const { code, log } = await runJob(repo, 'publish', { env });
    expect(code).toBe(6);
    expect(log).toContain('The reviewed plan cannot be applied, and nothing was sent.');
    const manual = { ...env, CI_PIPELINE_SOURCE: 'web' };
    expect((await runJob(repo, 'publish', { env: manual })).code).toBe(6);
    expect(await repo.git('rev-parse', 'published/production')).toBe(tag);
    expect((await runJob(repo, 'publish', { env: { ...manual, FORCE: 'true' } })).code).toBe(0);
  });

  it('is not that of a fork, nor of a request that is not merged', async () => {
    const repo = await repository('a');
    await planned(repo);
    for (const change of [{ source_project_id: 1 }, { state: 'opened' }]) {
      const { env } = await gitlab('forged', change);
      const { code, plan } = await runJob(repo, 'publish', { env });
      expect({ code, isUsed: existsSync(plan) }).toEqual({ code: 0, isUsed: false });
    }
  });

  it('deletes nothing, whatever the file contains', async () => {
    const repo = await repository('a', 'b');
    const text = await planned(repo);
    const { steps } = JSON.parse(text);
    const forged = { ...JSON.parse(text), steps: [{ ...steps[0], action: 'delete' }] };
    const prepare = (checkout: string) => writeFileSync(join(checkout, 'formulary-plan.json'), text);
    const { env } = await gitlab(JSON.stringify(forged));
    expect((await runJob(repo, 'publish', { env, prepare })).code).not.toBe(0);
    expect((await repo.published()).map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });
});
