/** The GitLab recipe of docs/ci.md: its jobs are run with their own shell, against a Git server and a service. */
import { describe, expect, it } from 'vitest';
import { type Cause, runPipeline, type Variable } from './gitlab.ts';
import { type Project, project, renamed } from './project.ts';
import { blocks, DOC } from './recipes.ts';

const RECIPE = blocks('yaml').find((text) => text.startsWith('workflow:')) ?? '';
const LOCK = 'formulas/formulas.lock.json';
const MAIN: Cause = { source: 'push', branch: 'main' };

/** The variables as the table in the document has them. */
function variables({ url, key, readKey }: Project): Variable[] {
  const rows = [...DOC.matchAll(/^\| `(FORMULARY_\w+)` \| (\S+) \| (?:yes|no) \| (yes|no) \| (.+) \|$/gm)];
  expect(rows).toHaveLength(4);
  return rows.map(([, name = '', scope = '', isProtected, value = '']) => ({
    name,
    value: name.endsWith('URL') ? url : name.endsWith('TOKEN') ? 'push-token' : value.includes('only') ? readKey : key,
    scope: scope === 'all' ? '*' : scope.replaceAll('`', ''),
    isProtected: isProtected === 'yes',
  }));
}

/** The jobs of the pipeline that a cause starts, with their exit codes; undefined if there is none. */
async function jobs(repo: Project, cause: Cause, given = variables(repo)) {
  const ends = await runPipeline(repo, RECIPE, cause, given);
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
