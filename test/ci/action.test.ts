/** The action: its steps are run with their own shell, against a Git server and a service. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { act, failedSteps, MAIN, names, ranSteps } from './act.ts';
import { ACTION } from './github.ts';
import { formulaFiles, project, ROOT, renamed } from './project.ts';

const LOCK = 'formulas/formulas.lock.json';

describe('the action with mode auto', () => {
  it.each([
    ['a pull request', 'pull_request', 'refs/pull/1/merge', 'Plan'],
    ['a push to the default branch', 'push', 'refs/heads/main', 'Push'],
    ['a push to another branch', 'push', 'refs/heads/feature', 'Plan'],
    ['a tag', 'push', 'refs/tags/v1', 'Plan'],
    ['a tag named like the default branch', 'push', 'refs/tags/main', 'Plan'],
    ['a release', 'release', 'refs/tags/v1', 'Plan'],
    ['a merge queue', 'merge_group', 'refs/heads/gh-readonly-queue/main/pr-1', 'Plan'],
    ['a manual run on the default branch', 'workflow_dispatch', 'refs/heads/main', 'Push'],
    ['a manual run on another branch', 'workflow_dispatch', 'refs/heads/feature', 'Plan'],
    ['a schedule', 'schedule', 'refs/heads/main', 'Plan'],
  ])('on %s: %s of %s runs %s', async (_, name, ref, expected) => {
    const repo = await project('a');
    if (ref !== 'refs/heads/main') await repo.git('update-ref', ref, 'refs/heads/main');
    const end = await act(repo, { name, ref });
    expect({ ran: ranSteps(end), failed: failedSteps(end) }).toEqual({ ran: ['Check', expected], failed: [] });
    expect(await names(repo)).toEqual(expected === 'Push' ? ['a'] : []);
    expect(end.summary).toContain(expected === 'Push' ? '1 created' : '1 to create');
    expect(end.outputs['changes']).toBe(expected === 'Push' ? undefined : '1');
  });

  it('checks without a key, as for a fork, with a notice', async () => {
    const repo = await project('a');
    const end = await act(repo, { name: 'pull_request', ref: 'refs/heads/main' }, { 'api-key': '' });
    expect({ ran: ranSteps(end), failed: failedSteps(end) }).toEqual({ ran: ['Check'], failed: [] });
    expect(end.log).toContain('::notice::No plan: there is no API key.');
  });

  it('fails on the default branch without a key', async () => {
    const repo = await project('a');
    expect(failedSteps(await act(repo, MAIN, { 'api-key': '' }))).toEqual([['Push', 4]]);
  });
});

describe('the action with another mode', () => {
  it('warns when a plan has no key', async () => {
    const end = await act(await project('a'), MAIN, { mode: 'plan', 'api-key': '' });
    expect({ ran: ranSteps(end), failed: failedSteps(end) }).toEqual({ ran: ['Check'], failed: [] });
    expect(end.log).toContain('::warning::No plan: there is no API key.');
  });

  it('plans with a key that has only reactor:read', async () => {
    const repo = await project('a');
    const end = await act(repo, MAIN, { mode: 'plan', 'api-key': repo.readKey });
    expect({ ran: ranSteps(end), failed: failedSteps(end) }).toEqual({ ran: ['Check', 'Plan'], failed: [] });
  });

  it('rejects an unknown mode before anything else', async () => {
    const end = await act(await project('a'), MAIN, { mode: 'publish' });
    expect({ ran: ranSteps(end), failed: failedSteps(end) }).toEqual({ ran: [], failed: [['Choose what to run', 2]] });
    expect(end.log).toContain('::error::mode must be check, plan, push, find-plan, or auto (got publish)');
  });

  it('publishes a tag, and commits the lock file to the default branch', async () => {
    const repo = await project('a');
    await repo.git('update-ref', 'refs/tags/v1', 'refs/heads/main');
    await repo.commit({ 'README.md': 'later' });
    expect(failedSteps(await act(repo, { name: 'push', ref: 'refs/tags/v1' }, { mode: 'push' }))).toEqual([]);
    expect(await repo.git('show', `main:${LOCK}`)).toContain('"production"');
    expect(await repo.git('log', '--format=%s', 'main')).toBe(
      'Update formulas.lock.json [skip ci]\nA change\nFirst commit',
    );
  });

  it.each([
    ['pull_request', 'refs/pull/1/merge'],
    ['merge_group', 'refs/heads/gh-readonly-queue/main/pr-1'],
  ])('rejects committing the lock file on %s before it publishes', async (name, ref) => {
    const repo = await project('a');
    await repo.git('update-ref', ref, 'refs/heads/main');
    const end = await act(repo, { name, ref }, { mode: 'push' });
    expect(failedSteps(end)).toEqual([['Choose what to run', 2]]);
    expect(await names(repo)).toEqual([]);
  });
});

describe('the lock file that the action commits', () => {
  it('makes a new name in a manifest rename the formula instead of creating a second one', async () => {
    const repo = await project('a');
    const first = await act(repo, MAIN);
    expect(failedSteps(first)).toEqual([]);
    const [created] = await repo.published();
    expect(await repo.git('show', `main:${LOCK}`)).toContain(created?.id);
    expect(await repo.git('log', '-1', '--format=%s,%an', 'main')).toBe(
      'Update formulas.lock.json [skip ci],github-actions[bot]',
    );

    await repo.commit(renamed('a', 'renamed'));
    expect(failedSteps(await act(repo, MAIN))).toEqual([]);
    expect(await repo.published()).toEqual([{ name: 'renamed', id: created?.id }]);
    expect(await repo.git('log', '-1', '--format=%s', 'main')).toBe('A change');
  });

  it('is committed to a branch that changed during the push', async () => {
    const repo = await project('a');
    await repo.commit({ 'README.md': 'theirs' }, 'theirs');
    repo.meanwhile(`git -C ${repo.origin} update-ref refs/heads/main refs/heads/theirs`);
    expect(failedSteps(await act(repo, MAIN))).toEqual([]);
    expect(await repo.git('log', '--format=%s', 'main')).toBe(
      'Update formulas.lock.json [skip ci]\nA change\nFirst commit',
    );
    expect(await repo.git('show', 'main:README.md')).toBe('theirs');
  });

  it('fails the job if a newer commit changed the same lines', async () => {
    const repo = await project('a');
    const theirs = { version: 1, targets: { production: { b: { id: '11111111-1111-4111-8111-111111111111' } } } };
    await repo.commit({ [LOCK]: JSON.stringify(theirs, null, 2) }, 'theirs');
    repo.meanwhile(`git -C ${repo.origin} update-ref refs/heads/main refs/heads/theirs`);
    const end = await act(repo, MAIN);
    expect(failedSteps(end)).toEqual([['Commit formulas.lock.json', 1]]);
    expect(end.log).toContain('::error::formulas.lock.json could not be pushed to main.');
    expect(await repo.git('log', '-1', '--format=%s', 'main')).toBe('A change');
  });

  it('fails a job without permission to push at the first attempt', async () => {
    const repo = await project('a');
    const end = await act(repo, MAIN, {}, { contents: 'read' });
    expect(failedSteps(end)).toEqual([['Commit formulas.lock.json', 1]]);
    expect(end.log.match(/this job may not push/g)).toHaveLength(1);
    expect(end.log).toContain('::error::formulas.lock.json could not be pushed to main.');
  });

  it('fails the job if git ignores it', async () => {
    const repo = await project('a');
    await repo.commit({ '.gitignore': '*.lock.json\n' });
    const end = await act(repo, MAIN);
    expect(failedSteps(end)).toEqual([['Commit formulas.lock.json', 1]]);
    expect(end.log).toContain('::error::formulas.lock.json is ignored by git; remove it from .gitignore');
  });

  it('is not committed with commit-lock-file: false, and a warning is printed', async () => {
    const repo = await project('a');
    const end = await act(repo, MAIN, { 'commit-lock-file': 'false' }, { contents: 'read' });
    expect(failedSteps(end)).toEqual([]);
    expect(end.log).toContain('::warning::formulas.lock.json changed and was not committed.');
  });

  it('is committed after a push that partly failed', async () => {
    const repo = await project('a', 'b');
    for (const _ of [1, 2]) await repo.createElsewhere('b');
    const end = await act(repo, MAIN);
    expect(failedSteps(end)).toEqual([['Push', 7]]);
    const [created] = (await repo.published()).filter(({ name }) => name === 'a');
    expect(await repo.git('show', `main:${LOCK}`)).toContain(created?.id);
  });
});

describe('the inputs of the action', () => {
  it('accept paths on several lines, flags, a report, and a working directory', async () => {
    const repo = await project();
    const files = Object.entries(formulaFiles('a', 'b', 'with space'));
    await repo.commit(Object.fromEntries(files.map(([name, text]) => [`services/pay/${name}`, text])));
    const end = await act(repo, MAIN, {
      'working-directory': 'services/pay',
      paths: 'formulas/a\n\nformulas/with space\n',
      flags: '--exclude b',
      'push-flags': '--concurrency 2\n--no-history',
      report: 'report.xml',
    });
    expect(failedSteps(end)).toEqual([]);
    expect(await names(repo)).toEqual(['a', 'with space']);
    expect(await repo.git('ls-tree', '-r', '--name-only', 'main', 'services/pay/formulas')).toContain(
      `services/pay/${LOCK}`,
    );
  });

  it('annotate files from the root of the repository', async () => {
    const repo = await project();
    await repo.commit({
      'services/pay/formulas/a/manifest.json': '{"name": "a", "type": "private"}',
      'services/pay/formulas/a/code.js': 'module.exports = ',
    });
    const end = await act(repo, MAIN, { 'working-directory': 'services/pay' });
    expect(failedSteps(end)).toEqual([['Check', 3]]);
    expect(end.log).toContain('::error file=services/pay/formulas/a/code.js');
  });

  it('are never executed as commands', async () => {
    const repo = await project('a');
    const touch = `touch "${repo.origin}.evil"`;
    const evil = `"; ${touch}; echo $(${touch}) \`${touch}\` *`;
    const inputs = [
      { paths: evil },
      { report: evil },
      { flags: evil, target: evil, version: evil },
      { 'push-flags': evil, 'published-tag': evil, 'plan-file': evil },
      { mode: evil },
    ];
    for (const input of inputs) await act(repo, MAIN, input);
    expect(existsSync(`${repo.origin}.evil`)).toBe(false);
  });

  it('install the version of this package, without the key, and without scripts of packages', async () => {
    const repo = await project('a');
    await act(repo, MAIN, { mode: 'check' });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(ACTION.inputs['version']?.default).toBe(version);
    expect(repo.installed()).toEqual([`npm install --global --ignore-scripts formulary-cli@${version} key=none`]);
  });
});
