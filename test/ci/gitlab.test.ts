/** The GitLab recipe, docs/gitlab-ci.yml: its jobs are run with their own shell, against a Git server and a service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folders.ts';
import { type Cause, MERGE_REQUEST, runPipeline, type Variable } from './gitlab.ts';
import { PROJECT_ID, TOKEN } from './gitlab-api.ts';
import { type Project, project, renamed } from './project.ts';
import { DOC, GITLAB_FILE } from './recipes.ts';

const LOCK = 'formulas/formulas.lock.json';
const MAIN: Cause = { source: 'push', branch: 'main' };

/** The variables as the table in the document has them. */
function variables({ url, key, readKey }: Project): Variable[] {
  const rows = [...DOC.matchAll(/^\| `(FORMULARY_\w+)` \| (\S+) \| (?:yes|no) \| (yes|no) \| (.+) \|$/gm)];
  expect(rows).toHaveLength(5);
  const values: Record<string, string> = {
    FORMULARY_BASE_URL: url,
    FORMULARY_GITLAB_TOKEN: TOKEN,
    FORMULARY_PUSH_TOKEN: 'push-token',
  };
  return rows.map(([, name = '', scope = '', isProtected, value = '']) => ({
    name,
    value: values[name] ?? (value.includes('only') ? readKey : key),
    scope: scope === 'all' ? '*' : scope.replaceAll('`', ''),
    isProtected: isProtected === 'yes',
  }));
}

/** The jobs of the pipeline that a cause starts, with their exit codes; undefined if there is none. */
async function jobs(repo: Project, cause: Cause, given = variables(repo)) {
  const ends = await runPipeline(repo, GITLAB_FILE, cause, given);
  return {
    codes: ends && Object.fromEntries(ends.map(({ job, code }) => [job, code])),
    log: ends?.map(({ log }) => log).join(''),
  };
}

describe('the GitLab recipe', () => {
  it('plans a merge request with the key that has only reactor:read, in one pipeline', async () => {
    const repo = await project('a');
    await repo.git('branch', 'feature', 'main');
    const { codes, log } = await jobs(repo, { source: 'merge_request_event', branch: 'feature' });
    expect(codes).toEqual({ check: 0, plan: 0 });
    expect(log).toContain('1 to create');
    expect((await jobs(repo, { source: 'push', branch: 'feature' })).codes).toBeUndefined();
    expect(await repo.published()).toEqual([]);
  });

  it('only checks a merge request that has no key, as in a fork', async () => {
    const repo = await project('a');
    const { codes, log } = await jobs(repo, { source: 'merge_request_event', branch: 'main' }, []);
    expect(codes).toEqual({ check: 0, plan: 0 });
    expect(log).toContain('No plan: there is no API key.');
  });

  it('publishes nothing for a tag, another branch, or a schedule', async () => {
    const repo = await project('a');
    await repo.git('branch', 'feature', 'main');
    await repo.git('tag', 'main-1', 'main');
    expect((await jobs(repo, { source: 'push', tag: 'main-1' })).codes).toBeUndefined();
    expect((await jobs(repo, { source: 'web', branch: 'feature' })).codes).toBeUndefined();
    expect((await jobs(repo, { source: 'schedule', branch: 'main' })).codes).toEqual({ check: 0 });
    expect(await repo.published()).toEqual([]);
  });

  it('publishes the default branch, commits the lock file, and uses it for a rename', async () => {
    const repo = await project('a');
    const event = await repo.git('rev-parse', 'main');
    expect((await jobs(repo, MAIN)).codes).toEqual({ check: 0, publish: 0 });
    const [created] = await repo.published();
    expect(await repo.git('show', `main:${LOCK}`)).toContain(created?.id);
    expect(await repo.git('log', '-1', '--format=%s,%an,%ae', 'main')).toBe(
      'Update formulas.lock.json [skip ci],formulary,formulary@gitlab.example',
    );
    await repo.commit(renamed('a', 'renamed'));
    // An old pipeline that is run again publishes the newest commit too.
    expect((await jobs(repo, { source: 'web', branch: 'main', sha: event })).codes).toEqual({ check: 0, publish: 0 });
    expect(await repo.published()).toEqual([{ name: 'renamed', id: created?.id }]);
    expect(await repo.git('log', '-1', '--format=%s', 'main')).toBe('A change');
  });

  it('commits the lock file to a branch that changed during the push', async () => {
    const repo = await project('a');
    await repo.commit({ 'README.md': 'theirs' }, 'theirs');
    repo.meanwhile(`git -C ${repo.origin} update-ref refs/heads/main refs/heads/theirs`);
    expect((await jobs(repo, MAIN)).codes).toEqual({ check: 0, publish: 0 });
    expect(await repo.git('log', '--format=%s', '-2', 'main')).toBe('Update formulas.lock.json [skip ci]\nA change');
    expect(await repo.git('show', 'main:README.md')).toBe('theirs');
  });

  it('fails with a hint if the job has no permission to push', async () => {
    const repo = await project('a');
    const given = variables(repo).filter(({ name }) => name !== 'FORMULARY_PUSH_TOKEN');
    const { codes, log } = await jobs(repo, MAIN, given);
    expect(codes).toEqual({ check: 0, publish: 1 });
    expect(log).toContain('formulas.lock.json could not be pushed to main. Check that this job may push there.');
    expect(log?.match(/this job may not push/g)).toHaveLength(1);
  });

  it('fails if git ignores the lock file', async () => {
    const repo = await project('a');
    await repo.commit({ '.gitignore': 'formulas.lock.json\n' });
    const { codes, log } = await jobs(repo, MAIN);
    expect(codes).toEqual({ check: 0, publish: 1 });
    expect(log).toContain('formulas.lock.json is ignored by git; remove it from .gitignore.');
  });

  it('commits the lock file of a push that partly failed, and fails with its exit code', async () => {
    const repo = await project('a', 'b');
    for (const _ of [1, 2]) await repo.createElsewhere('b');
    expect((await jobs(repo, MAIN)).codes).toEqual({ check: 0, publish: 7 });
    expect(await repo.git('show', `main:${LOCK}`)).toContain('"a"');
  });
});

const PLANNING: Cause = { source: 'merge_request_event', branch: 'feature' };
const CHANGE = { 'formulas/a/code.js': 'module.exports = async (req) => ({ raw: req.args });\n' };

/** A project that is published, with a merge request that changes a formula; plans it. */
async function mergeRequest(...names: string[]): Promise<Project> {
  const repo = await project(...names);
  expect((await jobs(repo, MAIN)).codes).toEqual({ check: 0, publish: 0 });
  await repo.commit(CHANGE, 'feature');
  expect((await jobs(repo, PLANNING)).codes).toEqual({ check: 0, plan: 0 });
  return repo;
}

/** Merges the request, whose commit becomes that of the default branch, and runs the pipeline. */
async function merge(repo: Project) {
  await repo.git('update-ref', 'refs/heads/main', 'refs/heads/feature');
  const sha = await repo.git('rev-parse', 'main');
  repo.gitlab.mergeRequests.push({
    iid: MERGE_REQUEST,
    state: 'merged',
    source_project_id: Number(PROJECT_ID),
    sha,
  });
  return jobs(repo, { ...MAIN, sha });
}

describe('the note of the GitLab recipe', () => {
  it('is created once, updated, and never the one of somebody who copied the marker', async () => {
    const repo = await mergeRequest('a');
    const [{ body = '' } = {}] = repo.gitlab.notes.splice(0);
    expect(body).toMatch(/^<!-- formulary-plan -->\n## Plan for `production`\n\n\*\*0 to create, 1 to update/);
    for (let i = 0; i < 120; i++) repo.gitlab.addNote(99, body);
    for (const _ of [1, 2]) await jobs(repo, PLANNING);
    expect(repo.gitlab.notes).toHaveLength(121);
    expect(repo.gitlab.notes[120]?.body).toBe(body);
  });

  it('neither shows nor replaces a file that the branch links to', async () => {
    const repo = await mergeRequest('a');
    const secret = join(folderWith({ secret: 'of the runner' }), 'secret');
    await repo.commit({ 'formulary-plan.md': secret, 'formulary-plan.json': secret }, 'feature', true);
    expect((await jobs(repo, PLANNING)).codes).toEqual({ check: 0, plan: 0 });
    expect(repo.gitlab.notes.map(({ body }) => body)).toEqual([expect.stringContaining('1 to update')]);
    expect(readFileSync(secret, 'utf8')).toBe('of the runner');
  });

  it('reports after a failure that there is no plan', async () => {
    const repo = await mergeRequest('a');
    await repo.commit({ 'formulas/b/manifest.json': '{}', 'formulas/b/code.js': '' }, 'feature');
    const plan = GITLAB_FILE.replace('formulary formula validate formulas', 'true');
    const ends = await runPipeline(repo, plan, PLANNING, variables(repo));
    expect(ends?.map(({ code }) => code)).toEqual([0, 3]);
    expect(repo.gitlab.notes.map(({ body }) => body)).toEqual([expect.stringContaining('The plan could not be made.')]);
  });

  it('is omitted without a token, and a wrong one does not fail the job', async () => {
    const repo = await mergeRequest('a');
    repo.gitlab.notes.splice(0);
    const other = (value: string) =>
      variables(repo).flatMap((one) =>
        one.name !== 'FORMULARY_GITLAB_TOKEN' ? [one] : value === '' ? [] : [{ ...one, value }],
      );
    expect((await jobs(repo, PLANNING, other(''))).codes).toEqual({ check: 0, plan: 0 });
    const { codes, log } = await jobs(repo, PLANNING, other('wrong'));
    expect(codes).toEqual({ check: 0, plan: 0 });
    expect(log).toContain('The note could not be written. Check FORMULARY_GITLAB_TOKEN.');
    expect(repo.gitlab.notes).toEqual([]);
  });
});

describe('the plan of a merge request', () => {
  it('is what its merge publishes, and nothing else', async () => {
    const repo = await mergeRequest('a', 'b');
    await repo.deleteElsewhere('b');
    expect((await merge(repo)).codes).toEqual({ check: 0, publish: 0 });
    expect((await repo.published()).map(({ name }) => name)).toEqual(['a']);
    expect(await repo.git('rev-parse', 'published/production')).toBe(await repo.git('rev-parse', 'main'));
  });

  it('is not applied after somebody changed the service, until a manual pipeline forces it', async () => {
    const repo = await mergeRequest('a');
    const tag = await repo.git('rev-parse', 'published/production');
    await repo.changeElsewhere('a');
    const { codes, log } = await merge(repo);
    expect(codes).toEqual({ check: 0, publish: 6 });
    expect(log).toContain('The reviewed plan cannot be applied, and nothing was sent.');
    expect(await repo.git('rev-parse', 'published/production')).toBe(tag);
    const manual: Cause = { source: 'web', branch: 'main' };
    expect((await jobs(repo, manual)).codes).toEqual({ check: 0, publish: 6 });
    expect((await jobs(repo, { ...manual, typed: { FORCE: 'true' } })).codes).toEqual({ check: 0, publish: 0 });
    expect(await repo.git('rev-parse', 'published/production')).toBe(await repo.git('rev-parse', 'main'));
  });

  it('deletes nothing, since a push would not', async () => {
    const repo = await project('a', 'b');
    await jobs(repo, MAIN);
    await repo.remove('formulas/b');
    await jobs(repo, MAIN);
    await repo.commit(CHANGE, 'feature');
    const pruning = GITLAB_FILE.replace('diff formulas "$@" --out', 'diff formulas --prune --out');
    const ends = await runPipeline(repo, pruning, PLANNING, variables(repo));
    expect(ends?.map(({ code }) => code)).toEqual([0, 0]);
    expect((await merge(repo)).codes).toEqual({ check: 0, publish: 2 });
    expect((await repo.published()).map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('is not that of a fork, nor of a request that is not merged', async () => {
    for (const change of [{ source_project_id: 1 }, { state: 'opened' as const }]) {
      const repo = await mergeRequest('a');
      const sha = await repo.git('rev-parse', 'feature');
      await repo.git('update-ref', 'refs/heads/main', sha);
      repo.gitlab.plans.set('refs/merge-requests/1/head', 'forged');
      const merged = { iid: 1, state: 'merged' as const, source_project_id: Number(PROJECT_ID), sha, ...change };
      repo.gitlab.mergeRequests.push(merged);
      expect((await jobs(repo, { ...MAIN, sha })).codes).toEqual({ check: 0, publish: 0 });
    }
  });
});
