/** The GitHub recipes of docs/ci.md: their jobs are run with their own shell, against a Git server and a service. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Event, type JobEnd, runWorkflow } from './github.ts';
import { REPOSITORY } from './github-api.ts';
import { type Project, project, renamed } from './project.ts';
import { blocks } from './recipes.ts';

const LOCK = 'formulas/formulas.lock.json';
const [PUBLISH = '', TENANTS = '', DRIFT = '', EDIT = ''] = ['formulas', 'tenants', 'drift', 'bulk-update'].map(
  (name) => blocks('yaml').find((text) => text.startsWith(`name: ${name}\n`)),
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

/** Opens, or updates, a pull request with these changes, and runs the workflow for it. */
async function openPull(
  repo: Project,
  files: Record<string, string>,
  isFork = false,
  workflow = PUBLISH,
): Promise<JobEnd[]> {
  await repo.commit(files, 'feature');
  await repo.git('update-ref', 'refs/pull/1/merge', 'refs/heads/feature');
  const headSha = await repo.git('rev-parse', 'feature');
  const { secrets, ...base } = event(repo, 'pull_request', 'refs/pull/1/merge');
  const pull = { number: 1, headSha, isFork };
  return runWorkflow(repo, workflow, { ...base, ...(!isFork && { secrets }), pull });
}

/** Merges the pull request, and runs the workflow for the push. */
async function merge(repo: Project, isFork = false, workflow = PUBLISH): Promise<JobEnd[]> {
  const sha = await repo.git('rev-parse', 'feature');
  await repo.git('update-ref', 'refs/heads/main', sha);
  const head = { sha, repo: { full_name: isFork ? 'somebody/fork' : REPOSITORY } };
  repo.github.pulls.push({ number: 1, merged_at: '2026-01-01T00:00:00Z', merge_commit_sha: sha, head });
  return runWorkflow(repo, workflow, { ...event(repo, 'push', 'refs/heads/main'), sha });
}

const CHANGE = { 'formulas/a/code.js': 'module.exports = async (req) => ({ raw: req.args });\n' };

describe('the plan of a pull request', () => {
  it('is what its merge publishes, and nothing else', async () => {
    const repo = await project('a', 'b');
    expect(summarize(await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main')))).toEqual([
      ['publish', 'Check', 'Push'],
    ]);
    await openPull(repo, { ...CHANGE, ...renamed('c', 'c') });
    await repo.deleteElsewhere('b');
    const [end] = await merge(repo);
    expect(summarize(end ? [end] : [])).toEqual([['publish', 'Check', 'Push']]);
    expect((await repo.published()).map(({ name }) => name).sort()).toEqual(['a', 'c']);
    expect(await repo.git('rev-parse', 'published/production')).toBe(await repo.git('rev-parse', 'main~1'));
    expect(await repo.git('log', '-1', '--format=%s', 'main')).toBe('Update formulas.lock.json [skip ci]');
  });

  it('is not applied after somebody changed the service, until a manual run forces it', async () => {
    const repo = await project('a');
    await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main'));
    const tag = await repo.git('rev-parse', 'published/production');
    await openPull(repo, CHANGE);
    await repo.changeElsewhere('a');
    const [end] = await merge(repo);
    expect(summarize(end ? [end] : [])).toEqual([['publish', 'Check', 'Push: 6']]);
    expect(end?.log).toContain('::error::The reviewed plan cannot be applied, and nothing was sent.');
    expect(await repo.git('rev-parse', 'published/production')).toBe(tag);

    const manual = event(repo, 'workflow_dispatch', 'refs/heads/main');
    expect(summarize(await runWorkflow(repo, PUBLISH, manual))).toEqual([['publish', 'Check', 'Push: 6']]);
    const forced = { ...manual, inputs: { force: true } };
    expect(summarize(await runWorkflow(repo, PUBLISH, forced))).toEqual([['publish', 'Check', 'Push']]);
    expect(await repo.git('rev-parse', 'published/production')).toBe(await repo.git('rev-parse', 'main'));
  });

  it('is not applied after another commit changed the folder, until a manual run', async () => {
    const repo = await project('a');
    await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main'));
    await openPull(repo, CHANGE);
    await repo.commit({ 'formulas/a/code.js': 'module.exports = async () => ({ raw: 2 });\n' }, 'feature');
    const planned = await repo.git('rev-parse', 'feature~1');
    await repo.git('update-ref', 'refs/heads/main', 'refs/heads/feature');
    const head = { sha: planned, repo: { full_name: REPOSITORY } };
    repo.github.pulls.push({ number: 1, merged_at: '2026-01-01T00:00:00Z', merge_commit_sha: planned, head });
    const push = { ...event(repo, 'push', 'refs/heads/main'), sha: planned };
    expect(summarize(await runWorkflow(repo, PUBLISH, push))).toEqual([['publish', 'Check', 'Push: 3']]);
    const manual = event(repo, 'workflow_dispatch', 'refs/heads/main');
    expect(summarize(await runWorkflow(repo, PUBLISH, manual))).toEqual([['publish', 'Check', 'Push']]);
  });

  it('is input, not authority: a forged artifact sends nothing', async () => {
    const repo = await project('a');
    await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main'));
    const before = await repo.code('a');
    await openPull(repo, CHANGE);
    const file = join(repo.github.runs.at(-1)?.artifacts[0]?.folder ?? '', 'plan.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('raw: req.args', 'raw: process.env'));
    const [end] = await merge(repo);
    expect(summarize(end ? [end] : [])).toEqual([['publish', 'Check', expect.stringMatching(/^Push: [236]$/)]]);
    expect(await repo.code('a')).toBe(before);
  });

  it('deletes no formula that a push would not, if the pull request changed the flags of its plan', async () => {
    const repo = await project('a', 'b');
    await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main'));
    await repo.remove('formulas/b');
    await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main'));
    const pruning = PUBLISH.replaceAll('published-tag: published/production', 'flags: --prune');
    await openPull(repo, CHANGE, false, pruning);
    const [end] = await merge(repo);
    expect(summarize(end ? [end] : [])).toEqual([['publish', 'Check', 'Push: 2']]);
    expect(end?.log).toContain('--max-deletes');
    expect((await repo.published()).map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('deletes formulas if the flags of the push have --prune', async () => {
    const repo = await project('a', 'b');
    await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main'));
    await repo.remove('formulas/b');
    const pruning = PUBLISH.replaceAll('published-tag: published/production', 'flags: --exclude x --prune');
    await openPull(repo, CHANGE, false, pruning);
    const [end] = await merge(repo, false, pruning);
    expect(summarize(end ? [end] : [])).toEqual([['publish', 'Check', 'Push']]);
    expect((await repo.published()).map(({ name }) => name)).toEqual(['a']);
  });

  it('is applied again without effect', async () => {
    const repo = await project('a');
    await openPull(repo, CHANGE);
    expect(summarize(await merge(repo))).toEqual([['publish', 'Check', 'Push']]);
    expect(summarize(await merge(repo))).toEqual([['publish', 'Check', 'Push']]);
    expect(await repo.published()).toHaveLength(1);
  });

  it('leaves the tag where it is while another formula of the commit is not published', async () => {
    const repo = await project('a', 'b');
    await runWorkflow(repo, PUBLISH, event(repo, 'push', 'refs/heads/main'));
    const tag = await repo.git('rev-parse', 'published/production');
    await openPull(repo, CHANGE);
    const plan = repo.github.runs.at(-1);
    await openPull(repo, { 'formulas/b/code.js': CHANGE['formulas/a/code.js'] });
    // The second plan is lost, and the first is that of the merged commit.
    const newest = repo.github.runs.at(-1);
    if (plan && newest) newest.artifacts = plan.artifacts;
    const [end] = await merge(repo);
    expect(summarize(end ? [end] : [])).toEqual([['publish', 'Check', 'Push']]);
    expect(end?.log).toContain('::warning::The plan was applied, but other formulas of this commit still differ');
    expect(await repo.git('rev-parse', 'published/production')).toBe(tag);
  });
});

describe('the workflow for pull requests and the default branch', () => {
  const publish = async (repo: Project, name: string, ref: string) =>
    runWorkflow(repo, PUBLISH, event(repo, name, ref));

  it('plans a pull request with the key that may only read, and keeps the plan', async () => {
    const repo = await project('a');
    const ends = await openPull(repo, renamed('b', 'b'));
    expect(summarize(ends)).toEqual([['plan', 'Check', 'Plan']]);
    expect(ends[0]?.summary).toContain('2 to create');
    expect(repo.github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('2 to create')]);
    expect(repo.github.runs[0]?.artifacts.map(({ name, folder }) => [name, readdirSync(folder)])).toEqual([
      ['formulary-plan', ['plan.json', 'plan.md']],
    ]);
    expect(await repo.published()).toEqual([]);
  });

  it('only checks the pull request of a fork, which gets no secrets', async () => {
    const repo = await project('a');
    const ends = await openPull(repo, renamed('b', 'b'), true);
    expect(summarize(ends)).toEqual([['plan', 'Check']]);
    expect(ends[0]?.log).toContain('::notice::No plan');
    expect(repo.github.runs[0]?.artifacts).toEqual([]);
    expect(summarize(await merge(repo, true))).toEqual([['publish', 'Check', 'Push']]);
    expect(await repo.published()).toHaveLength(2);
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
    const tags = await repo.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/tags');
    expect(tags.split('\n')).toEqual(['published/production-eu', 'published/production-us', 'published/staging']);
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
    await repo.createElsewhere('made by hand');
    expect((await drift())[0]?.steps.map(({ code }) => code)).toEqual([0, 10]);
  });
});

describe('the workflow that changes many formulas', () => {
  const SCRIPT = {
    'tools/update.mjs': `import { readFileSync, writeFileSync } from 'node:fs';
for (const file of ['formulas/a/manifest.json', 'formulas/b/manifest.json']) {
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, description: 'Changed by the script' }, null, 2));
}
`,
  };
  const update = (repo: Project) => runWorkflow(repo, EDIT, event(repo, 'schedule', 'refs/heads/main'));

  it('edits, plans, publishes, and commits', async () => {
    const repo = await project('a', 'b');
    await repo.commit(SCRIPT);
    const [end] = await update(repo);
    expect(end?.steps.map(({ name, code }) => [name, code])).toEqual([
      ['Install', 0],
      ['Edit', 0],
      ['Plan', 0],
      ['Publish', 0],
      ['Commit', 0],
    ]);
    expect(await repo.published()).toHaveLength(2);
    expect(await repo.git('show', 'main:formulas/a/manifest.json')).toContain('Changed by the script');
    expect(await repo.git('show', `main:${LOCK}`)).toContain('"production"');
  });
});
