/** The action: its steps are run with their own shell, against a Git server and a service. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json, loopback } from '../helpers/loopback.ts';
import { type Event, type JobResult, MAIN, runAction } from './action.ts';
import { formulaFiles, type Repository, ROOT, renamed, repository } from './repository.ts';

const LOCK = 'formulas/formulas.lock.json';
const PULL: Event = {
  name: 'pull_request',
  ref: 'refs/pull/1/merge',
  pull: { number: 1, head: { sha: 'a'.repeat(40) } },
};
const TAG = { 'published-tag': 'published/production' };
const CHANGE = { 'formulas/a/code.js': 'module.exports = async (req) => ({ raw: req.args });\n' };
const FAILING = { 'formulas/a/tests/one.json': '{"args": {"card": {"number": "4"}}, "expect": {"raw": 1}}' };

const outcome = ({ ran, failed }: JobResult) => ({ ran, failed });
const names = async (repo: Repository) => (await repo.published()).map(({ name }) => name).sort();
const tagged = (repo: Repository) => repo.git('for-each-ref', '--format=%(objectname)', 'refs/tags/published');

/** Makes main the merge commit of the pull request too. */
const openPull = (repo: Repository) => repo.git('update-ref', PULL.ref, 'refs/heads/main');

describe('the action with mode auto', () => {
  it.each([
    ['a pull request', 'pull_request', 'refs/pull/1/merge', 'Plan'],
    ['a push to the default branch', 'push', 'refs/heads/main', 'Push'],
    ['a push to another branch', 'push', 'refs/heads/feature', 'Plan'],
    ['a tag named like the default branch', 'push', 'refs/tags/main', 'Plan'],
    ['a merge queue', 'merge_group', 'refs/heads/gh-readonly-queue/main/pr-1', 'Plan'],
    ['a manual run on the default branch', 'workflow_dispatch', 'refs/heads/main', 'Push'],
    ['a manual run on another branch', 'workflow_dispatch', 'refs/heads/feature', 'Plan'],
    ['a schedule', 'schedule', 'refs/heads/main', 'Plan'],
  ])('on %s: %s of %s runs %s', async (_, name, ref, expected) => {
    const repo = await repository('a');
    if (ref !== 'refs/heads/main') await repo.git('update-ref', ref, 'refs/heads/main');
    const result = await runAction(repo, { name, ref }, { comment: 'false', 'api-key': repo.key });
    expect(outcome(result)).toEqual({ ran: ['Check', expected], failed: [] });
    expect(await names(repo)).toEqual(expected === 'Push' ? ['a'] : []);
    expect(result.summary).toContain(expected === 'Push' ? '1 created' : '1 to create');
    expect(result.outputs['changes']).toBe(expected === 'Push' ? '' : '1');
  });

  it.each([
    ['checks a pull request without a key, as of a fork, and writes no comment', PULL, 'auto', '::notice::No plan', []],
    ['warns when a plan has no key', MAIN, 'plan', '::warning::No plan', []],
    ['fails on the default branch without a key', MAIN, 'auto', 'error: no API key', [['Push', 4]]],
    ['rejects another mode', MAIN, 'publish', '::error::mode must be check, plan, push', [['Choose what to run', 2]]],
    ['rejects a commit of the lock file', PULL, 'push', 'commit-lock-file must be false', [['Choose what to run', 2]]],
  ])('%s', async (_, event, mode, message, failed) => {
    const repo = await repository('a');
    await openPull(repo);
    const result = await runAction(repo, event, { mode, 'api-key': '' });
    expect(result.failed).toEqual(failed);
    expect(result.log).toContain(message);
    expect(await names(repo)).toEqual([]);
  });

  it('plans with a key that has only reactor:read', async () => {
    const repo = await repository('a');
    const result = await runAction(repo, MAIN, { mode: 'plan', 'api-key': repo.readKey });
    expect(outcome(result)).toEqual({ ran: ['Check', 'Plan'], failed: [] });
  });

  it('publishes a tag, and commits the lock file to the default branch', async () => {
    const repo = await repository('a');
    await repo.git('update-ref', 'refs/tags/v1', 'refs/heads/main');
    await repo.commit({ 'README.md': 'later' });
    expect((await runAction(repo, { name: 'push', ref: 'refs/tags/v1' }, { mode: 'push' })).failed).toEqual([]);
    expect(await repo.git('show', `main:${LOCK}`)).toContain('"production"');
    expect((await repo.git('log', '--format=%s', 'main')).split('\n')[1]).toBe('A change');
  });
});

describe('the check of the action', () => {
  it('runs tests before anything is published, and can leave them to another job', async () => {
    const repo = await repository('a');
    await repo.commit(FAILING);
    expect(outcome(await runAction(repo, MAIN))).toEqual({ ran: [], failed: [['Check', 1]] });
    expect(await names(repo)).toEqual([]);
    expect(outcome(await runAction(repo, MAIN, { tests: 'false' }))).toEqual({ ran: ['Check', 'Push'], failed: [] });
  });

  it('leaves out the folders that flags exclude', async () => {
    const repo = await repository('a', 'b');
    await repo.commit(FAILING);
    const excluding = { flags: '--no-input --exclude a --exclude=c' };
    expect(outcome(await runAction(repo, MAIN, excluding))).toEqual({ ran: ['Check', 'Push'], failed: [] });
    expect(await names(repo)).toEqual(['b']);
  });

  it('annotates files from the root of the repository', async () => {
    const repo = await repository();
    await repo.commit({
      'services/pay/formulas/a/manifest.json': '{"name": "a", "type": "private"}',
      'services/pay/formulas/a/code.js': 'module.exports = ',
    });
    const result = await runAction(repo, MAIN, { 'working-directory': 'services/pay' });
    expect(result.failed).toEqual([['Check', 3]]);
    expect(result.log).toContain('::error file=services/pay/formulas/a/code.js');
  });
});

/** The part of GitHub's API that comments use. */
async function comments(status = 201, found: { id: number; body: string; user: { login: string } }[] = []) {
  const { url, requests } = await loopback(({ method, url: path, body }, response) => {
    if (method === 'GET') {
      const page = Number(new URL(path, 'http://localhost').searchParams.get('page'));
      return json(response, 200, found.slice((page - 1) * 100, page * 100));
    }
    const { body: text } = JSON.parse(body);
    if (status >= 400) return json(response, status, {});
    const own = found.find(({ id }) => path.endsWith(`/comments/${id}`));
    if (own) own.body = text;
    else found.push({ id: found.length + 1, body: text, user: { login: 'github-actions[bot]' } });
    json(response, status, {});
  });
  return { pull: { ...PULL, api: url }, found, requests };
}

describe('the comment of a plan', () => {
  it('is created once for each target, and then updated', async () => {
    const repo = await repository('a');
    await openPull(repo);
    const { pull, found } = await comments();
    expect((await runAction(repo, pull)).failed).toEqual([]);
    expect(found[0]?.body).toMatch(
      /^<!-- formulary-plan [0-9a-f]{16} -->\n## Plan for `production`\n\n\*\*1 to create/,
    );
    expect(found[0]?.body).toContain(
      `Commit ${'a'.repeat(40)} · [log with all differences](https://github.example/owner/project/actions/runs/1)`,
    );
    await runAction(repo, pull, { target: 'staging' });
    expect(found).toHaveLength(2);
    await repo.createElsewhere('a');
    await runAction(repo, pull);
    await runAction(repo, pull, { target: 'other' });
    expect(found.map(({ body }) => body.includes('nothing to do'))).toEqual([true, false]);
  });

  it('shows below the totals whether changed formulas behave as in the base branch, from a job without a key', async () => {
    const repo = await repository('a', 'b');
    await repo.git('update-ref', 'refs/heads/base', 'refs/heads/main');
    await repo.commit(CHANGE);
    await openPull(repo);
    const { pull, found } = await comments();
    const event = { ...pull, base: 'base' };
    const checked = await runAction(repo, event, { mode: 'check', 'api-key': '' });
    expect(checked.failed).toEqual([]);
    const file = join(checked.outputs['behavior-folder'] ?? '', 'behavior.md');
    writeFileSync(file, `${readFileSync(file, 'utf8')}<b>forged</b>\n`);
    await runAction(repo, event, { tests: 'false', 'behavior-file': file });
    expect(found[0]?.body).toMatch(
      /\n\*\*2 to create[^\n]*\*\*\n\n### Behavior compared with `origin\/base`\n\n\*\*0 same, 1 differs\*\* \(seed \d+\)\n\n- `formulas\/a`: \*\*differs\*\*, [^\n]*returns[^\n]*\n\n/,
    );
    expect(found[0]?.body).not.toContain('forged');
  });

  it('is found among many, and is never the one of somebody who copied the marker', async () => {
    const repo = await repository('a');
    await openPull(repo);
    const { pull, found } = await comments();
    await runAction(repo, pull);
    const [{ body = '' } = {}] = found.splice(0);
    for (let id = 1; id <= 150; id++) found.push({ id, body, user: { login: 'mallory' } });
    for (const _ of [1, 2]) await runAction(repo, pull);
    expect(found).toHaveLength(151);
    expect(found.slice(0, 150).every((comment) => comment.body === body)).toBe(true);
  });

  it.each([
    ['an invalid folder', { 'formulas/a/code.js': 'module.exports = ' }, {}, 'formula validate exited with 3.'],
    ['a failing test', FAILING, {}, 'formula test exited with 1.'],
    ['a wrong key', {}, { 'api-key': 'key_of-somebody-else' }, 'formula diff exited with 4.\n\n```text\n'],
  ])('names the cause after a failure, instead of showing an old plan: %s', async (_, files, inputs, cause) => {
    const repo = await repository('a');
    await openPull(repo);
    const { pull, found } = await comments();
    await runAction(repo, pull);
    await repo.commit({ 'README.md': 'later', ...files });
    await openPull(repo);
    expect((await runAction(repo, pull, inputs)).failed).toHaveLength(1);
    expect(found.map(({ body }) => body)).toEqual([
      expect.stringContaining(`## No plan\n\nThe plan could not be made: ${cause}`),
    ]);
  });

  it('is a warning if the job may not write it, and is left out on request', async () => {
    const repo = await repository('a');
    await openPull(repo);
    const { pull, requests } = await comments(403);
    const result = await runAction(repo, pull);
    expect(result.failed).toEqual([]);
    expect(result.log).toContain('::warning::The comment could not be written: POST 1/comments returned 403.');
    const before = requests.length;
    await runAction(repo, pull, { comment: 'false' });
    expect(requests).toHaveLength(before);
  });
});

describe('find-plan', () => {
  const REPOSITORY = 'owner/project';
  const own = { id: 2, head_repository: { full_name: REPOSITORY } };
  const find = async (repo: Repository, runs: object[], artifacts: object[], status = 200) => {
    const sha = await repo.git('rev-parse', 'main');
    const head = { sha: 'c'.repeat(40), repo: { full_name: REPOSITORY } };
    const { url } = await loopback(({ url: path }, response) => {
      if (path.includes('/pulls')) return json(response, status, [{ merged_at: 'x', merge_commit_sha: sha, head }]);
      if (path.includes('/artifacts')) return json(response, 200, { artifacts });
      json(response, 200, { workflow_runs: path.includes(`head_sha=${head.sha}`) ? runs : [] });
    });
    return runAction(repo, { ...MAIN, api: url }, { mode: 'find-plan' });
  };

  it('returns the newest run of the pull request with a plan, and installs nothing', async () => {
    const repo = await repository('a');
    const { outputs, ran } = await find(repo, [own, { ...own, id: 1 }], [{ expired: false }]);
    expect({ run: outputs['plan-run-id'], ran, installed: repo.installed() }).toEqual({
      run: '2',
      ran: [],
      installed: [],
    });
  });

  it.each([
    ['of a fork', [{ id: 2, head_repository: { full_name: 'somebody/fork' } }], [{ expired: false }]],
    ['that has expired', [own], [{ expired: true }]],
    ['without a run', [], []],
  ])('uses no plan %s, with a notice', async (_, runs, artifacts) => {
    const result = await find(await repository('a'), runs, artifacts);
    expect([result.outputs['plan-run-id'], result.failed]).toEqual(['', []]);
    expect(result.log).toContain('::notice::No reviewed plan');
  });

  it('fails if the job may not look', async () => {
    const { failed, log } = await find(await repository('a'), [], [], 403);
    expect(failed).toEqual([['Find the plan', 1]]);
    expect(log).toContain('The job needs the permissions actions: read and pull-requests: read.');
  });
});

describe('a plan that the action applies', () => {
  /** Publishes formulas, changes files, and plans; returns the input with the plan. */
  async function makePlan(repo: Repository, change: () => Promise<unknown>, inputs: Record<string, string> = {}) {
    await runAction(repo, MAIN, TAG);
    await change();
    await openPull(repo);
    const { outputs } = await runAction(repo, PULL, { comment: 'false', ...inputs });
    return { ...TAG, 'plan-file': join(outputs['plan-folder'] ?? '', 'plan.json') };
  }

  it('publishes what was reviewed and nothing else, and moves the tag; again, it does nothing', async () => {
    const repo = await repository('a', 'b');
    const inputs = await makePlan(repo, () => repo.commit({ ...CHANGE, ...renamed('c', 'c') }), TAG);
    const published = await repo.git('rev-parse', 'main');
    await repo.deleteElsewhere('b');
    for (const _ of [1, 2]) expect((await runAction(repo, MAIN, inputs)).failed).toEqual([]);
    expect(await names(repo)).toEqual(['a', 'c']);
    expect(await repo.git('rev-parse', `${published}~0`, 'main~1')).toBe(`${published}\n${published}`);
  });

  it.each([
    ['the service changed', 6, (repo: Repository) => repo.changeElsewhere('a')],
    [
      'another commit changed the folder',
      3,
      (repo: Repository) => repo.commit({ 'formulas/a/code.js': 'module.exports = async () => ({ raw: 2 });\n' }),
    ],
  ])('is not applied after %s, until a run without it forces it', async (_, code, change) => {
    const repo = await repository('a');
    const inputs = await makePlan(repo, () => repo.commit(CHANGE));
    const tag = await tagged(repo);
    await change(repo);
    const result = await runAction(repo, MAIN, inputs);
    expect(result.failed).toEqual([['Push', code]]);
    expect(result.log).toContain('::error::The reviewed plan cannot be applied, and nothing was sent.');
    expect(await tagged(repo)).toBe(tag);
    expect((await runAction(repo, MAIN, { ...TAG, 'push-flags': '--force' })).failed).toEqual([]);
    expect(await tagged(repo)).not.toBe(tag);
  });

  it('is input, not authority: a forged file sends nothing', async () => {
    const repo = await repository('a');
    const inputs = await makePlan(repo, () => repo.commit(CHANGE));
    const before = await repo.code('a');
    const plan = JSON.parse(readFileSync(inputs['plan-file'], 'utf8'));
    for (const step of plan.steps) step.local_hash = step.local_hash.replaceAll(/[0-9a-f]/g, '0');
    writeFileSync(inputs['plan-file'], JSON.stringify(plan));
    expect((await runAction(repo, MAIN, inputs)).failed).toEqual([['Push', expect.any(Number)]]);
    expect(await repo.code('a')).toBe(before);
  });

  it('deletes formulas only if the flags of the push have --prune', async () => {
    const repo = await repository('a', 'b');
    const inputs = await makePlan(repo, () => repo.remove('formulas/b'), { flags: '--prune' });
    expect((await runAction(repo, MAIN, inputs)).failed).toEqual([['Push', 2]]);
    expect(await names(repo)).toEqual(['a', 'b']);
    expect((await runAction(repo, MAIN, { ...inputs, flags: '--exclude x --prune' })).failed).toEqual([]);
    expect(await names(repo)).toEqual(['a']);
  });

  it('leaves the tag where it is while another formula of the commit is not published', async () => {
    const repo = await repository('a', 'b');
    const inputs = await makePlan(repo, () => repo.commit(CHANGE));
    const tag = await tagged(repo);
    await repo.commit({ 'formulas/b/code.js': CHANGE['formulas/a/code.js'] });
    const result = await runAction(repo, MAIN, inputs);
    expect(result.failed).toEqual([]);
    expect(result.log).toContain('::warning::The plan was applied, but other formulas of this commit still differ');
    expect(await tagged(repo)).toBe(tag);
  });
});

describe('the tag of the last published commit', () => {
  it('limits plans and pushes to what changed since, and makes a change on the service a conflict', async () => {
    const repo = await repository('a', 'b');
    const published = await repo.git('rev-parse', 'main');
    await runAction(repo, MAIN, TAG);
    expect(await tagged(repo)).toBe(published);
    await repo.deleteElsewhere('b');
    await repo.commit(renamed('a', 'later'));
    await openPull(repo);
    expect((await runAction(repo, PULL, { ...TAG, comment: 'false' })).outputs['changes']).toBe('1');
    expect((await runAction(repo, PULL, { comment: 'false' })).outputs['changes']).toBe('2');
    await repo.changeElsewhere('a');
    expect((await runAction(repo, MAIN, TAG)).failed).toEqual([['Push', 6]]);
    expect(await tagged(repo)).toBe(published);
  });

  it('fails the job that may not push it', async () => {
    const inputs = { ...TAG, 'commit-lock-file': 'false' };
    const { failed, log } = await runAction(await repository('a'), { ...MAIN, isReadOnly: true }, inputs);
    expect(failed).toEqual([['Move the tag', 1]]);
    expect(log).toContain('::error::The tag published/production could not be moved.');
    expect(log).toContain('::warning::formulas.lock.json changed and was not committed.');
  });
});

describe('the lock file that the action commits', () => {
  it('makes a new name in a manifest rename the formula instead of creating a second one', async () => {
    const repo = await repository('a');
    await runAction(repo, MAIN);
    const [created] = await repo.published();
    expect(await repo.git('log', '-1', '--format=%s,%an', 'main')).toBe(
      'Update formulas.lock.json [skip ci],github-actions[bot]',
    );
    await repo.commit(renamed('a', 'renamed'));
    expect((await runAction(repo, MAIN)).failed).toEqual([]);
    expect(await repo.published()).toEqual([{ name: 'renamed', id: created?.id }]);
    expect(await repo.git('log', '-1', '--format=%s', 'main')).toBe('A change');
  });

  it('is committed to a branch that changed during the push', async () => {
    const repo = await repository('a');
    await repo.commit({ 'README.md': 'theirs' }, 'theirs');
    repo.meanwhile(`git -C ${repo.origin} update-ref refs/heads/main refs/heads/theirs`);
    expect((await runAction(repo, MAIN)).failed).toEqual([]);
    expect(await repo.git('log', '--format=%s', '-2', 'main')).toBe('Update formulas.lock.json [skip ci]\nA change');
    expect(await repo.git('show', 'main:README.md')).toBe('theirs');
  });

  it.each([
    [
      'if a newer commit changed the same lines',
      async (repo: Repository) => {
        await repo.commit({ [LOCK]: '{"version": 1, "targets": {}}' }, 'theirs');
        repo.meanwhile(`git -C ${repo.origin} update-ref refs/heads/main refs/heads/theirs`);
      },
      {},
      'could not be pushed to main.',
    ],
    ['without permission to push, at once', () => undefined, { isReadOnly: true }, 'could not be pushed to main.'],
    [
      'if git ignores it',
      (repo: Repository) => repo.commit({ '.gitignore': '*.lock.json\n' }),
      {},
      'is ignored by git; remove it from .gitignore',
    ],
  ])('fails the job %s', async (_, prepare, event, message) => {
    const repo = await repository('a');
    await prepare(repo);
    const { failed, log } = await runAction(repo, { ...MAIN, ...event });
    expect(failed).toEqual([['Commit formulas.lock.json', 1]]);
    expect(log).toContain(`::error::formulas.lock.json ${message}`);
    expect(log.match(/this job may not push/g) ?? []).toHaveLength('isReadOnly' in event ? 1 : 0);
  });

  it('is committed after a push that partly failed', async () => {
    const repo = await repository('a', 'b');
    for (const _ of [1, 2]) await repo.createElsewhere('b');
    expect((await runAction(repo, MAIN)).failed).toEqual([['Push', 7]]);
    expect(await repo.git('show', `main:${LOCK}`)).toContain('"a"');
  });
});

describe('the inputs of the action', () => {
  it('accept paths on several lines, flags, a report, and a working directory', async () => {
    const repo = await repository();
    const files = Object.entries(formulaFiles('a', 'b', 'with space'));
    await repo.commit(Object.fromEntries(files.map(([name, text]) => [`services/pay/${name}`, text])));
    const inputs = {
      'working-directory': 'services/pay',
      paths: 'formulas/a\n\nformulas/with space\n',
      'push-flags': '--concurrency 2\n--no-history',
      report: 'report.xml',
    };
    expect((await runAction(repo, MAIN, inputs)).failed).toEqual([]);
    expect(await names(repo)).toEqual(['a', 'with space']);
    expect(await repo.git('show', `main:services/pay/${LOCK}`)).toContain('with space');
  });

  it('are never executed as commands', async () => {
    const repo = await repository('a');
    const touch = `touch "${repo.origin}.evil"`;
    const evil = `"; ${touch}; echo $(${touch}) \`${touch}\` *`;
    const inputs = [
      { paths: evil, tests: evil },
      { report: evil, mode: evil },
      { flags: `--exclude ${evil}`, target: evil, version: evil },
      { 'push-flags': evil, 'published-tag': evil, 'plan-file': evil },
    ];
    for (const input of inputs) await runAction(repo, MAIN, input);
    expect(existsSync(`${repo.origin}.evil`)).toBe(false);
  });

  it('install the version of this package, without the key, and without scripts of packages', async () => {
    const repo = await repository('a');
    await runAction(repo, MAIN, { mode: 'check' });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(repo.installed()).toEqual([`npm install --global --ignore-scripts formulary-cli@${version} key=none`]);
  });
});
