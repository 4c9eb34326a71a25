/** The GitHub recipes of docs/ci.md: their jobs are run with their own shell, against a Git server and a service. */
import { describe, expect, it } from 'vitest';
import { type Event, type JobEnd, runWorkflow } from './github.ts';
import { type Project, project, renamed } from './project.ts';
import { blocks } from './recipes.ts';

const LOCK = 'formulas/formulas.lock.json';
const [PUBLISH = '', TENANTS = '', DRIFT = ''] = ['formulas', 'tenants', 'drift'].map((name) =>
  blocks('yaml').find((text) => text.startsWith(`name: ${name}\n`)),
);

/** An event in a repository with the secrets that the document names. */
const event = ({ url, key, readKey }: Project, name: string, ref: string): Event => ({
  name,
  ref,
  vars: { FORMULARY_BASE_URL: url },
  secrets: { FORMULARY_READ_KEY: readKey },
  environments: Object.fromEntries(
    ['production', 'staging', 'production-eu', 'production-us'].map((tenant) => [tenant, { FORMULARY_API_KEY: key }]),
  ),
});

/** The jobs that ran, with the steps of the action that did, and the codes of the ones that failed. */
const summarize = (ends: readonly JobEnd[]) =>
  ends.map(({ job, steps }) => [
    job,
    ...steps.flatMap(({ name, outcome, code }) =>
      outcome === 'failure'
        ? [`${name}: ${code}`]
        : outcome === 'success' && /^(Check|Plan|Push)$/.test(name)
          ? [name]
          : [],
    ),
  ]);

describe('the workflow for pull requests and the default branch', () => {
  const publish = async (repo: Project, name: string, ref: string) =>
    runWorkflow(repo, PUBLISH, event(repo, name, ref));

  it('plans a pull request with the key that has only reactor:read', async () => {
    const repo = await project('a');
    await repo.git('update-ref', 'refs/pull/1/merge', 'main');
    const ends = await publish(repo, 'pull_request', 'refs/pull/1/merge');
    expect(summarize(ends)).toEqual([['plan', 'Check', 'Plan']]);
    expect(ends[0]?.summary).toContain('1 to create');
    expect(await repo.published()).toEqual([]);
  });

  it('only checks the pull request of a fork, which gets no secrets', async () => {
    const repo = await project('a');
    await repo.git('update-ref', 'refs/pull/1/merge', 'main');
    const fork: Event = { name: 'pull_request', ref: 'refs/pull/1/merge' };
    const ends = await runWorkflow(repo, PUBLISH, fork);
    expect(summarize(ends)).toEqual([['plan', 'Check']]);
    expect(ends[0]?.log).toContain('::notice::No plan');
  });

  it('runs for no tag, no other branch, and no merge queue, and checks a manual run of another branch', async () => {
    const repo = await project('a');
    await repo.git('update-ref', 'refs/heads/feature', 'main');
    expect(await publish(repo, 'push', 'refs/heads/feature')).toEqual([]);
    expect(await publish(repo, 'push', 'refs/tags/main')).toEqual([]);
    expect(await publish(repo, 'merge_group', 'refs/heads/gh-readonly-queue/main/pr-1')).toEqual([]);
    expect(summarize(await publish(repo, 'workflow_dispatch', 'refs/heads/feature'))).toEqual([['publish', 'Check']]);
    expect(await repo.published()).toEqual([]);
  });

  it('publishes a merge, commits the lock file, and uses it for a rename', async () => {
    const repo = await project('a');
    expect(summarize(await publish(repo, 'push', 'refs/heads/main'))).toEqual([['publish', 'Check', 'Push']]);
    const [created] = await repo.published();
    expect(await repo.git('show', `main:${LOCK}`)).toContain(created?.id);

    await repo.commit(renamed('a', 'renamed'));
    expect(summarize(await publish(repo, 'workflow_dispatch', 'refs/heads/main'))).toEqual([
      ['publish', 'Check', 'Push'],
    ]);
    expect(await repo.published()).toEqual([{ name: 'renamed', id: created?.id }]);
  });

  it('publishes the newest commit when a second merge, with a new name, waited for the first', async () => {
    const repo = await project('a');
    const both = event(repo, 'push', 'refs/heads/main');
    const first = { ...both, sha: await repo.git('rev-parse', 'main') };
    // The commit of the second run is older than the lock file of the first.
    repo.meanwhile(`git -C ${repo.origin} update-ref refs/heads/main refs/heads/second`);
    await repo.commit(renamed('a', 'renamed'), 'second');
    expect(summarize(await runWorkflow(repo, PUBLISH, first))).toEqual([['publish', 'Check', 'Push']]);
    const second = { ...both, sha: await repo.git('rev-parse', 'second') };
    expect(summarize(await runWorkflow(repo, PUBLISH, second))).toEqual([['publish', 'Check', 'Push']]);
    expect((await repo.published()).map(({ name }) => name)).toEqual(['renamed']);
  });
});

describe('the workflow for several tenants', () => {
  it('commits one lock file with all of them', async () => {
    const repo = await project('a');
    const ends = await runWorkflow(repo, TENANTS, event(repo, 'workflow_dispatch', 'refs/heads/main'));
    expect(summarize(ends)).toEqual(Array(3).fill(['publish', 'Check', 'Push']));
    const lock = JSON.parse(await repo.git('show', `main:${LOCK}`));
    expect(Object.keys(lock.targets)).toEqual(['production-eu', 'production-us', 'staging']);
    expect(await repo.published()).toHaveLength(1);
  });
});

describe('the workflow for drift', () => {
  it('exits 10 while the service differs, and 0 otherwise', async () => {
    const repo = await project('a');
    const drift = () => runWorkflow(repo, DRIFT, event(repo, 'schedule', 'refs/heads/main'));
    const [differs] = await drift();
    expect(differs?.steps.map(({ name, code }) => [name, code])).toEqual([
      ['Install', 0],
      ['Compare', 10],
    ]);
    expect(differs?.log).toContain('::error::The service differs from the repository.');
    await repo.createElsewhere('a');
    expect((await drift())[0]?.steps.map(({ code }) => code)).toEqual([0, 0]);
  });
});
