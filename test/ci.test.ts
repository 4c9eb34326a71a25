/** The action, and the files and scripts of docs/ci.md: their steps are run, as far as they need no runner. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cardFiles, folderWith } from './helpers/folders.ts';
import { run } from './helpers/test-host.ts';
import { pathWithTool } from './helpers/tool-on-path.ts';

const ROOT = join(import.meta.dirname, '..');
const DOC = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');

const blocks = (language: string) =>
  [...DOC.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

interface Place {
  folder: string;
  env: Record<string, string>;
}

/** A repository with formulas, and a machine with formulary and an embedded service. */
function checkout(...names: string[]): Place {
  const configuration = [{ name: 'REGION', type: 'string' }];
  const files = names.flatMap((name) =>
    Object.entries(cardFiles({ name, configuration })).map(([file, text]) => [`formulas/${name}/${file}`, text]),
  );
  const folder = folderWith(Object.fromEntries(files));
  const env = {
    PATH: pathWithTool(),
    HOME: folderWith(),
    XDG_STATE_HOME: folderWith(),
    FORMULARY_PROFILE: 'local',
    FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'),
    FORMULARY_TARGET: 'production',
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(folderWith(), 'summary.md'),
    GITHUB_OUTPUT: join(folderWith(), 'output'),
  };
  return { folder, env };
}

/** Runs a script as runners do: bash, ending at the first failure. */
function bash(script: string, { folder, env }: Place, more: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...env, ...more },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Runs `formulary formula …` in this process, for what no script does: to prepare a service, and to see what is on it. */
async function formulary(words: string, { folder, env }: Place) {
  const ended = await run(['formula', ...words.split(' ')], { cwd: folder, env });
  expect(ended).toMatchObject({ code: 0 });
  return ended.out;
}

/** The names of the formulas on the service of a place. */
async function published(place: Place): Promise<string[]> {
  const listed: { name: string }[] = JSON.parse(await formulary('list --json', place));
  return listed.map(({ name }) => name).sort();
}

interface Step {
  name?: string;
  run?: string;
  env?: Record<string, string>;
}

const action: { inputs: Record<string, { default?: string }>; runs: { steps: Step[] } } = parse(
  readFileSync(join(ROOT, 'action.yml'), 'utf8'),
);

/** Runs the steps of the action on an event, until one fails. */
function act(place: Place, event: string, inputs: Record<string, string> = {}) {
  const value = (expression: string) =>
    expression.replace(/\$\{\{ (inputs\.([\w-]+)|github\.event_name) \}\}/g, (_, _all, input) =>
      input === undefined ? event : (inputs[input] ?? action.inputs[input]?.default ?? ''),
    );
  const results: { name: string | undefined; status: number | null; stdout: string; stderr: string }[] = [];
  for (const { name, run = '', env = {} } of action.runs.steps) {
    const own = Object.fromEntries(Object.entries(env).map(([key, text]) => [key, value(text)]));
    results.push({ name, ...bash(run, place, own) });
    if (results.at(-1)?.status !== 0) break;
  }
  return results;
}

const statuses = (results: ReturnType<typeof act>) => results.map(({ name, status }) => [name, status]);
const ALL_GOOD = [
  ['Install', 0],
  ['Check', 0],
  ['Plan', 0],
  ['Push', 0],
];

describe('the action', () => {
  it('checks and plans on a pull request, and writes nothing to the service', async () => {
    const place = checkout('a', 'b');
    expect(statuses(act(place, 'pull_request', {}))).toEqual(ALL_GOOD);
    // Without a key, as on a pull request from a fork, there is no plan.
    expect(existsSync(place.env['GITHUB_STEP_SUMMARY'] ?? '')).toBe(false);
    const withKey = { ...place, env: { ...place.env, FORMULARY_API_KEY: 'key-full' } };
    expect(statuses(act(withKey, 'pull_request'))).toEqual(ALL_GOOD);
    expect(readFileSync(place.env['GITHUB_STEP_SUMMARY'] ?? '', 'utf8')).toContain('2 to create');
    expect(readFileSync(place.env['GITHUB_OUTPUT'] ?? '', 'utf8')).toBe('changes=2\n');
    expect(await published(place)).toEqual([]);
  });

  it('pushes on merge, with paths of several lines and flags', async () => {
    const place = checkout('a', 'b', 'with space');
    const inputs = {
      paths: 'formulas/a\n\nformulas/with space\n',
      flags: '--concurrency 2  --no-history',
      report: 'report.xml',
    };
    expect(statuses(act(place, 'push', inputs))).toEqual(ALL_GOOD);
    expect(await published(place)).toEqual(['a', 'with space']);
    expect(readFileSync(join(place.folder, 'report.xml'), 'utf8')).toContain('<testsuites tests="2" failures="0"');
  });

  it('takes flags from all lines', async () => {
    const place = checkout('a');
    expect(statuses(act(place, 'push', { flags: '--no-history\n--dry-run\n' }))).toEqual(ALL_GOOD);
    expect(await published(place)).toEqual([]);
  });

  it('publishes nothing for a merge queue', async () => {
    const place = checkout('a');
    const withKey = { ...place, env: { ...place.env, FORMULARY_API_KEY: 'key-full' } };
    expect(statuses(act(withKey, 'merge_group'))).toEqual(ALL_GOOD);
    expect(await published(place)).toEqual([]);
  });

  it('refuses a mode that it does not know', () => {
    const results = act(checkout('a'), 'push', { mode: 'publish' });
    expect(statuses(results)).toEqual([
      ['Install', 0],
      ['Check', 2],
    ]);
  });

  it('stops at a folder that is not valid, and marks it', () => {
    const place = checkout('a');
    writeFileSync(join(place.folder, 'formulas/a/code.js'), 'module.exports = ');
    const results = act(place, 'push');
    expect(statuses(results)).toEqual([
      ['Install', 0],
      ['Check', 3],
    ]);
    expect(results[1]?.stderr).toContain('::error file=formulas/a/code.js');
  });

  it('takes nothing in its inputs for a command', () => {
    const place = checkout('a');
    const evil = '"; touch evil; echo $(touch evil) `touch evil` ';
    const inputs = [{ paths: evil }, { report: evil }, { flags: evil, target: evil, version: evil }, { mode: evil }];
    for (const input of inputs) act(place, 'push', input);
    expect(existsSync(join(place.folder, 'evil'))).toBe(false);
  });
});

describe('docs/ci.md', () => {
  /** The scripts of a file for GitHub or GitLab, by the name of the step or job. */
  function scripts(text: string): Record<string, string> {
    const file = parse(text);
    const steps = Object.values<{ steps?: Step[] }>(file.jobs ?? {}).flatMap(({ steps: own = [] }) => own);
    const jobs = Object.entries<{ script?: string[] }>(file).filter(([, job]) => Array.isArray(job?.script));
    return Object.fromEntries([
      ...steps.flatMap(({ name, run }) => (name && run ? [[name, run]] : [])),
      ...jobs.map(([name, { script }]) => [name, script?.join('\n')]),
    ]);
  }

  const [github = '', , tenants = '', drift = '', gitlab = ''] = blocks('yaml');
  const [change = '', failures = '', strangers = ''] = blocks('bash');

  it('holds files that are YAML', () => {
    for (const text of blocks('yaml')) expect(parse(text)).toBeTypeOf('object');
    expect(blocks('yaml')).toHaveLength(5);
    expect(blocks('bash')).toHaveLength(3);
  });

  it('checks, plans, pushes and commits the lock on GitHub', () => {
    const place = checkout('a', 'b');
    bash(
      'git init -q -b main . && git init -q --bare ../origin-$$.git && git remote add origin ../origin-$$.git',
      place,
    );
    bash('git add . && git -c user.name=x -c user.email=x@localhost commit -qm x && git push -qu origin main', place);
    const steps = scripts(github);
    for (const name of ['Check', 'Plan', 'Push'])
      expect(bash(steps[name] ?? 'exit 99', place), name).toMatchObject({ status: 0 });
    expect(bash(steps['Commit the lock'] ?? 'exit 99', place)).toMatchObject({ status: 0 });
    expect(bash('git status --porcelain --untracked-files=no; git log --format=%s origin/main', place).stdout).toMatch(
      /^Note which formula each folder is\n/,
    );
    expect(bash(steps['Commit the lock'] ?? 'exit 99', place).status).toBe(0);
    bash('rm -rf ../origin-*.git', place);
  });

  it('pushes to a tenant of a matrix', () => {
    const place = checkout('a');
    expect(bash(scripts(tenants)['Push'] ?? 'exit 99', place, { FORMULARY_TARGET: 'staging' }).status).toBe(0);
    expect(readFileSync(join(place.folder, 'formulas/formulas.lock.json'), 'utf8')).toContain('"staging"');
  });

  it('finds drift with 10, and ends with 0 when there is none', async () => {
    const place = checkout('a');
    const compare = scripts(drift)['Compare'] ?? 'exit 99';
    const drifted = bash(compare, place);
    expect({ status: drifted.status, isMarked: drifted.stdout.includes('::error::the service differs') }).toEqual({
      status: 10,
      isMarked: true,
    });
    await formulary('push formulas', place);
    expect(bash(compare, place).status).toBe(0);
  });

  it('checks, plans and publishes on GitLab', () => {
    const place = checkout('a');
    const jobs = scripts(gitlab);
    for (const name of ['check', 'plan', 'publish'])
      expect(bash(jobs[name] ?? 'exit 99', place), name).toMatchObject({ status: 0 });
    for (const report of ['formulas.xml', 'push.xml']) expect(existsSync(join(place.folder, report))).toBe(true);
  });

  it.runIf(spawnSync('jq', ['--version']).status === 0)(
    'changes a setting everywhere, tells failures, and finds strangers',
    async () => {
      const place = checkout('a', 'b');
      await formulary('push formulas', place);
      const changed = bash(change, place);
      expect({ status: changed.status, told: changed.stdout.includes('2 updated, 0 unchanged') }).toEqual({
        status: 0,
        told: true,
      });
      cpSync(join(place.folder, 'formulas/a'), join(place.folder, 'formulas/c'), { recursive: true });
      const failed = bash(failures, place);
      expect(failed.status).toBe(3);
      expect(failed.stdout).toMatch(/^formulas\/a\tinvalid\t.*same name as/m);
      await formulary('delete b --yes', place);
      bash('mv formulas/b/manifest.json x && rm -r formulas/c', place);
      bash(
        'mkdir formulas/b2 && cp formulas/a/code.js formulas/b2 && jq \'.name = "b2"\' formulas/a/manifest.json > formulas/b2/manifest.json',
        place,
      );
      await formulary('create formulas/b2', place);
      bash('rm -r formulas/b2', place);
      expect(bash(strangers, place).stdout).toBe('b2\n');
    },
  );
});
