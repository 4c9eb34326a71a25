/** Plans of the action: the comment, the run that saved the plan, and the tag of the last published commit. */
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folders.ts';
import { act, failedSteps, MAIN, names, ranSteps } from './act.ts';
import type { Event } from './github.ts';
import { type Permissions, REPOSITORY } from './github-api.ts';
import { type Project, project, renamed } from './project.ts';

const PULL: Event = { name: 'pull_request', ref: 'refs/pull/1/merge', pull: { number: 1, headSha: 'a'.repeat(40) } };

/** A project with a pull request, whose merge commit is that of main. */
async function pullRequest(...names: string[]): Promise<Project> {
  const repo = await project(...names);
  await repo.git('update-ref', PULL.ref, 'refs/heads/main');
  return repo;
}

describe('the comment of a plan', () => {
  it('is created once, and then updated', async () => {
    const repo = await pullRequest('a');
    expect(failedSteps(await act(repo, PULL))).toEqual([]);
    const [first] = repo.github.comments;
    expect(first?.body).toContain('## Plan for `production`\n\n**1 to create, 0 to update, 0 up to date**');
    expect(first?.body).toMatch(/^<!-- formulary-plan [0-9a-f]{16} -->\n/);
    expect(first?.body).toContain(
      `Commit ${'a'.repeat(40)} · [log with all differences](https://github.example/owner/project/actions/runs/1)`,
    );

    await repo.createElsewhere('a');
    expect(failedSteps(await act(repo, PULL))).toEqual([]);
    expect(repo.github.comments).toHaveLength(1);
    expect(repo.github.comments[0]?.body).toContain('nothing to do');
  });

  it('is another one for each target, and for each selection', async () => {
    const repo = await pullRequest('a', 'b');
    for (const inputs of [{}, { target: 'staging' }, { paths: 'formulas/a' }]) await act(repo, PULL, inputs);
    expect(repo.github.comments).toHaveLength(3);
  });

  it('is not created when nothing would change', async () => {
    const repo = await pullRequest('a');
    await repo.createElsewhere('a');
    await act(repo, PULL);
    expect(repo.github.comments).toEqual([]);
  });

  it('is found among many, and is never the one of somebody who copied the marker', async () => {
    const repo = await pullRequest('a');
    await act(repo, PULL);
    const [{ body = '' } = {}] = repo.github.comments.splice(0);
    for (let i = 0; i < 150; i++) repo.github.comment('mallory', body);
    await act(repo, PULL);
    await act(repo, PULL);
    expect(repo.github.comments).toHaveLength(151);
    expect(repo.github.comments.slice(0, 150).every((comment) => comment.body === body)).toBe(true);
  });

  it('reports after a failure that there is no plan, instead of showing an old one', async () => {
    const repo = await pullRequest('a');
    await act(repo, PULL);
    await repo.commit({ 'formulas/a/code.js': 'module.exports = ' });
    await repo.git('update-ref', PULL.ref, 'refs/heads/main');
    expect(failedSteps(await act(repo, PULL))).toEqual([['Check', 3]]);
    expect(repo.github.comments).toHaveLength(1);
    expect(repo.github.comments[0]?.body).toContain('## No plan\n');
  });

  it('is not written for a fork, which gets neither the key nor a token that may write', async () => {
    const repo = await pullRequest('a');
    const fork: Event = { ...PULL, pull: { number: 1, headSha: 'a', isFork: true } };
    const end = await act(repo, fork, { 'api-key': '' });
    expect({ ran: ranSteps(end), failed: failedSteps(end) }).toEqual({ ran: ['Check'], failed: [] });
    expect(repo.github.requests()).toEqual([]);
  });

  it('is a warning if the job may not write it', async () => {
    const repo = await pullRequest('a');
    const end = await act(repo, PULL, {}, { contents: 'read', 'pull-requests': 'read' });
    expect(failedSteps(end)).toEqual([]);
    expect(end.log).toContain('::warning::The comment could not be written: POST 1/comments returned 403.');
  });

  it('is left out with comment: false, and for other events', async () => {
    const repo = await pullRequest('a');
    await act(repo, PULL, { comment: 'false' });
    await act(repo, { name: 'schedule', ref: 'refs/heads/main' });
    expect(repo.github.requests()).toEqual([]);
  });
});

describe('find-plan', () => {
  const find = async (repo: Project, permissions?: Permissions) => {
    const sha = await repo.git('rev-parse', 'main');
    const head = { sha: 'c'.repeat(40), repo: { full_name: REPOSITORY } };
    repo.github.pulls.push({ number: 1, merged_at: '2026-01-01', merge_commit_sha: sha, head });
    return act(repo, MAIN, { mode: 'find-plan' }, permissions);
  };
  const addRun = (repo: Project, event = 'pull_request', repository = REPOSITORY) => {
    const run = repo.github.addRun(event, 'c'.repeat(40), repository);
    repo.github.upload(run, 'formulary-plan', folderWith({ 'plan.json': '{}' }));
    return run;
  };

  it('gives the newest run of the pull request with a plan, and runs nothing else', async () => {
    const repo = await project('a');
    for (let i = 0; i < 2; i++) addRun(repo);
    repo.github.addRun('pull_request', 'c'.repeat(40), REPOSITORY);
    const end = await find(repo);
    expect(end.outputs['run-id']).toBe('2');
    expect(ranSteps(end)).toEqual([]);
    expect(repo.installed()).toEqual([]);
  });

  it.each([
    ['of a fork', (repo: Project) => addRun(repo, 'pull_request', 'somebody/fork')],
    ['of another event', (repo: Project) => addRun(repo, 'push')],
    ['that has expired', (repo: Project) => Object.assign(addRun(repo).artifacts[0] ?? {}, { expired: true })],
    ['of another commit', (repo: Project) => Object.assign(addRun(repo), { head_sha: 'd' })],
  ])('uses no plan %s, with a notice', async (_, add) => {
    const repo = await project('a');
    add(repo);
    const end = await find(repo);
    expect({ run: end.outputs['run-id'], failed: failedSteps(end) }).toEqual({ run: undefined, failed: [] });
    expect(end.log).toContain('::notice::No reviewed plan');
  });

  it('fails if the job may not look', async () => {
    const end = await find(await project('a'), { contents: 'write' });
    expect(failedSteps(end)).toEqual([['Find the plan', 1]]);
    expect(end.log).toContain('The job needs the permissions actions: read and pull-requests: read.');
  });
});

describe('a plan with deletions', () => {
  it('warns of them, and deletes nothing else when it is applied', async () => {
    const repo = await pullRequest('a', 'b', 'c');
    await act(repo, MAIN);
    await repo.remove('formulas/b');
    await repo.git('update-ref', PULL.ref, 'refs/heads/main');
    const planned = await act(repo, PULL, { flags: '--prune' });
    expect(repo.github.comments[0]?.body).toContain('> - **1 formula to be deleted:** `formulas/b`\n');
    await repo.remove('formulas/c');
    const plan = { 'plan-file': `${planned.outputs['folder']}/plan.json`, flags: '--prune' };
    expect(failedSteps(await act(repo, MAIN, plan))).toEqual([]);
    expect(await names(repo)).toEqual(['a', 'c']);
  });
});

describe('the tag of the last published commit', () => {
  const TAG = { 'published-tag': 'published/production' };
  const tagged = (repo: Project) => repo.git('for-each-ref', '--format=%(objectname)', 'refs/tags/published');

  it('is created by the first push, and moved by the next', async () => {
    const repo = await project('a');
    for (const _ of [1, 2]) {
      const published = await repo.git('rev-parse', 'main');
      expect(failedSteps(await act(repo, MAIN, TAG))).toEqual([]);
      expect(await tagged(repo)).toBe(published);
      await repo.commit(renamed('a', 'later'));
    }
  });

  it('limits plans and pushes to what changed since', async () => {
    const repo = await pullRequest('a', 'b');
    await act(repo, MAIN, TAG);
    await repo.deleteElsewhere('b');
    await repo.commit(renamed('a', 'later'));
    await repo.git('update-ref', PULL.ref, 'refs/heads/main');
    expect((await act(repo, PULL, TAG)).outputs['changes']).toBe('1');
    expect((await act(repo, PULL)).outputs['changes']).toBe('2');
    expect(failedSteps(await act(repo, MAIN, TAG))).toEqual([]);
    expect(await names(repo)).toEqual(['later']);
  });

  it('makes a change on the service a conflict', async () => {
    const repo = await project('a');
    await act(repo, MAIN, TAG);
    const before = await tagged(repo);
    await repo.changeElsewhere('a');
    await repo.commit({ 'formulas/a/code.js': 'module.exports = async (req) => ({ raw: req.args });\n' });
    expect(failedSteps(await act(repo, MAIN, TAG))).toEqual([['Push', 6]]);
    expect(await tagged(repo)).toBe(before);
    expect(failedSteps(await act(repo, MAIN, { ...TAG, 'push-flags': '--force' }))).toEqual([]);
    expect(await tagged(repo)).not.toBe(before);
  });

  it('fails the job that may not push it', async () => {
    const repo = await project('a');
    const end = await act(repo, MAIN, { ...TAG, 'commit-lock-file': 'false' }, { contents: 'read' });
    expect(failedSteps(end)).toEqual([['Move the tag', 1]]);
    expect(end.log).toContain('::error::The tag published/production could not be moved.');
  });
});
