/** What is true of all recipes of docs/ci.md and of the workflows of this repository, and the scripts that others run. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/index';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { folderWith } from '../helpers/folders.ts';
import { ACTION } from './action.ts';
import { bash, type Environment, formulaFiles, type Repository, ROOT, repository } from './repository.ts';

interface Job {
  needs?: string;
  environment?: string;
  concurrency?: unknown;
  steps: { uses?: string; with?: Record<string, string | number>; run?: string }[];
}

interface Workflow {
  on: Record<string, unknown>;
  concurrency?: unknown;
  jobs: Record<string, Job>;
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const DOC = read('docs/ci.md');
const GITLAB_FILE = read('docs/gitlab-ci.yml');

/** The blocks of a language in docs/ci.md, in the order in which they appear. */
const blocks = (language: string): string[] =>
  [...DOC.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

/** Starts by hand only, so that no test runs before it. */
const ROLLBACK = /^```yaml\n(.*?)^```/ms.exec(read('docs/rollback.md'))?.[1] ?? '';
const RECIPES = blocks('yaml').filter((text) => text.startsWith('name:'));
const OTHER_SYSTEMS = [...blocks('yaml').filter((text) => !text.startsWith('name:')), ...blocks('groovy')];
const [SYSTEM_SCRIPT = '', CHANGE_SCRIPT = '', CODE_SCRIPT = '', PLAN_SCRIPT = '', FAILURES_SCRIPT = ''] =
  blocks('bash');
const WORKFLOWS = RECIPES.map((text): Workflow => parse(text));
const jobs = WORKFLOWS.flatMap((workflow) => Object.values(workflow.jobs).map((job) => ({ workflow, job })));
const GITLAB = parse(GITLAB_FILE);

/** Every script that a runner or a reader runs with bash. */
const SCRIPTS: string[] = [
  ...[...jobs.map(({ job }) => job), ACTION.runs].flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run)),
  ...[GITLAB.default, ...Object.values<{ script?: string[] }>(GITLAB)].flatMap((job) =>
    [job.before_script ?? [], job.script ?? []].flat(),
  ),
  ...blocks('bash'),
];

/** What bash 3.2 does not have: it is the bash of macOS. */
const NEWER_BASH = [
  /\b(mapfile|readarray|coproc)\b/,
  /\b(declare|local|typeset) -\w*[Agnlu]/,
  /\$\{\w+(\[[^\]]*\])?(\^|,|@)/,
  /\$\{\w+\[-\d|\$\{\w+:[^}]*: ?-\d/,
  /&>>|\|&|;;?&/,
  /\bshopt -s (globstar|lastpipe)|\bwait -n|\[\[ -v|printf ['"]?%\(|\bread -\w*[Ni]|\$(EPOCH|BASHPID|SRANDOM)/,
];

describe('the workflows and the action', () => {
  const files = readdirSync(join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`);

  it.each([
    ...[...RECIPES, ROLLBACK].map((text) => [text.split('\n')[0], text]),
    ...files.map((file) => [file, read(file)]),
  ])('are valid for GitHub: %s', (_, content = '') => {
    const { context } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter());
    expect(context.errors.getErrors().map(String)).toEqual([]);
  });

  it('are valid for GitHub: action.yml, with its inputs in all recipes', () => {
    const file = { name: 'action.yml', content: read('action.yml') };
    expect(parseAction(file, new NoOperationTraceWriter()).context.errors.getErrors().map(String)).toEqual([]);
    const given = jobs.flatMap(({ job }) =>
      job.steps.flatMap((step) => (step.uses?.startsWith('./') ? Object.keys(step.with ?? {}) : [])),
    );
    expect(given.filter((name) => !(name in ACTION.inputs))).toEqual([]);
    expect(given.length).toBeGreaterThan(10);
  });
});

describe('the recipes', () => {
  it('use only features of bash 3.2, and no expressions whose values would be executed as code', () => {
    expect(SCRIPTS.length).toBeGreaterThan(12);
    for (const script of SCRIPTS) for (const pattern of [...NEWER_BASH, /\$\{\{/]) expect(script).not.toMatch(pattern);
  });

  it('install the version of this package everywhere', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(ACTION.inputs['version']?.default).toBe(version);
    const versions = [...(DOC + GITLAB_FILE).matchAll(/formulary-cli@([\w.]+)/g)].map(([, one]) => one);
    expect(new Set(versions)).toEqual(new Set([version]));
    for (const [install] of (DOC + GITLAB_FILE).matchAll(/npm install.*/g))
      expect(install).toContain('--ignore-scripts');
  });

  it('run tests before they publish, in a job that has no secrets', () => {
    const publishing = jobs.filter(({ job }) => job.environment !== undefined);
    expect(publishing).toHaveLength(3);
    for (const { workflow, job } of publishing) {
      const before = workflow.jobs[job.needs ?? ''];
      expect(JSON.stringify(before)).not.toContain('secrets.');
      expect(JSON.stringify(before)).toMatch(/"mode":"check"|formula test/);
      expect(job.steps.at(-1)?.with).toMatchObject({ tests: 'false' });
    }
    expect([GITLAB.check.environment, GITLAB.check.script.join()]).toEqual([
      undefined,
      expect.stringContaining('formula test'),
    ]);
    expect(GITLAB.stages).toEqual(['check', 'publish']);
    for (const text of OTHER_SYSTEMS)
      expect(text.indexOf('formulas.sh check')).toBeLessThan(text.indexOf('formulas.sh publish'));
  });

  it('pass the key only to steps, and run no pull request with the secrets of the repository', () => {
    for (const { workflow, job } of jobs) {
      const { jobs: _, ...outside } = workflow;
      const { steps: __, ...settings } = job;
      expect(JSON.stringify([outside, settings])).not.toContain('secrets.');
      expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    }
    const env = ACTION.runs.steps.filter((step) => step.env?.['FORMULARY_API_KEY']).map(({ name }) => name);
    expect(env).toEqual(['Plan', 'Push']);
  });

  it('publish in one concurrency group, which cancels no waiting run', () => {
    const groups = jobs.flatMap(({ workflow, job }) =>
      job.environment ? [job.concurrency ?? workflow.concurrency] : [],
    );
    expect(groups).toEqual(Array(3).fill({ group: 'formulas', queue: 'max' }));
  });

  it('check out the complete history wherever they compare with it', () => {
    for (const { job } of jobs.filter(({ job: one }) => /secrets\./.test(JSON.stringify(one))))
      expect(job.steps[0]?.with).toMatchObject({ 'fetch-depth': 0 });
    expect(GITLAB.variables['GIT_DEPTH']).toBe('0');
  });

  it('use one version of each action, and one Node.js', () => {
    const uses = new Set(DOC.match(/actions\/[\w-]+@v\d+/g));
    expect(new Set([...uses].map((use) => use.split('@')[0])).size).toBe(uses.size);
    const nodes = [...(DOC + GITLAB_FILE).matchAll(/node-version: (\d+)|node:(\d+)/g)].map(([, a, b]) => a ?? b);
    expect(new Set(nodes)).toEqual(new Set(['24']));
  });
});

/** Runs a script of the document in a checkout, as a system does that gave it the tool and the variables. */
async function runScript(repo: Repository, script: string, more: Environment = {}, checkout?: string) {
  const cwd = checkout ?? (await repo.checkout('main'));
  const tool = { ...repo.computer(), FORMULARY_BASE_URL: repo.url, FORMULARY_TARGET: 'production', MAY_PUSH: '1' };
  return bash(`npm install --global formulary-cli\n${script}`, cwd, { ...tool, ...more });
}

describe('the script for other systems', () => {
  const system = (repo: Repository, command: string, env: Environment = {}) =>
    runScript(repo, `bash -c "$SCRIPT" formulas.sh ${command}`, { SCRIPT: SYSTEM_SCRIPT, ...env });

  it('checks without a key, plans with one that can only read, and publishes with the lock file', async () => {
    const repo = await repository('a');
    expect((await system(repo, 'check')).code).toBe(0);
    expect(await system(repo, 'plan', { FORMULARY_API_KEY: repo.readKey })).toMatchObject({
      code: 0,
      log: expect.stringContaining('1 to create'),
    });
    expect(await repo.published()).toEqual([]);
    expect((await system(repo, 'publish', { FORMULARY_API_KEY: repo.key })).code).toBe(0);
    expect(await repo.git('log', '-1', '--format=%s', 'main')).toBe('Update formulas.lock.json [skip ci]');
    expect((await system(repo, 'publish', { FORMULARY_API_KEY: repo.key })).code).toBe(0);
    expect((await repo.published()).map(({ name }) => name)).toEqual(['a']);
  });

  it('fails with a failing test, a wrong key, and a push that failed in part', async () => {
    const repo = await repository('a', 'b');
    await repo.commit({ 'formulas/a/tests/one.json': '{"args": {"card": {"number": "4"}}, "expect": {"raw": 1}}' });
    expect((await system(repo, 'check')).code).toBe(1);
    expect((await system(repo, 'plan', { FORMULARY_API_KEY: 'key_of-somebody-else' })).code).not.toBe(0);
    for (const _ of [1, 2]) await repo.createElsewhere('b');
    expect((await system(repo, 'publish', { FORMULARY_API_KEY: repo.key })).code).toBe(7);
    expect(await repo.git('show', 'main:formulas/formulas.lock.json')).toContain('"a"');
  });
});

describe('the workflow for a rollback', () => {
  it('publishes the folders of a commit from a computer without a history, and shows what is live', async () => {
    const repo = await repository('a', 'b');
    const env = {
      FORMULARY_API_KEY: repo.key,
      REF: 'HEAD~1',
      FORMULAS: 'formulas/a  formulas/b',
      RUNNER_TEMP: folderWith(),
    };
    await repo.commit({ 'formulas/a/code.js': 'module.exports = async () => ({ raw: {} });\n' });
    const checkout = await repo.checkout('main');
    await runScript(repo, 'formulary formula push formulas', env, checkout);
    const [script = ''] =
      (parse(ROLLBACK) as Workflow).jobs['rollback']?.steps.flatMap(({ run = [] }) => run).slice(1) ?? [];
    expect([...NEWER_BASH, /\$\{\{/].filter((pattern) => pattern.test(script))).toEqual([]);
    const { code, log } = await runScript(repo, script, env, checkout);
    expect({ code, log }).toMatchObject({ code: 0, log: expect.stringMatching(/^formulas\/a\ta\t\w{7}, 1 behind$/m) });
    expect(await repo.code('a')).not.toContain('raw: {}');
  });
});

describe('the workflow for drift', () => {
  it('exits 10 while the service differs, and 0 otherwise', async () => {
    const repo = await repository('a');
    const script = WORKFLOWS.flatMap(({ jobs: { drift } }) => drift?.steps.at(-1)?.run ?? []).join();
    const drift = async () => (await runScript(repo, script, { FORMULARY_API_KEY: repo.readKey })).code;
    expect(await drift()).toBe(10);
    await repo.createElsewhere('a');
    expect(await drift()).toBe(0);
    await repo.createElsewhere('made by hand');
    expect(await drift()).toBe(10);
  });
});

describe('the workflow that changes many formulas', () => {
  const [update = '', commit = ''] = WORKFLOWS.flatMap(
    ({ jobs: all }) => all['update']?.steps.flatMap(({ run = [] }) => run) ?? [],
  );

  it('commits what its script changed, if it is valid', async () => {
    const repo = await repository('a');
    const checkout = await repo.checkout('main');
    mkdirSync(join(checkout, 'tools'));
    const edit = (from: string, to: string) =>
      writeFileSync(
        join(checkout, 'tools/update.mjs'),
        `import fs from 'node:fs'; const file = 'formulas/a/manifest.json';
fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('${from}', '${to}'));\n`,
      );
    edit('Tokenizes a card', 'Changed');
    const env = { GITHUB_REF_NAME: 'main' };
    expect((await runScript(repo, `${update}\n${commit}`, env, checkout)).code).toBe(0);
    expect(await repo.git('show', 'main:formulas/a/manifest.json')).toContain('Changed');
    edit('"private"', '"public"');
    expect((await runScript(repo, update, env, checkout)).code).toBe(3);
  });
});

describe.runIf(spawnSync('jq', ['--version']).status === 0)('a script over many formulas', () => {
  it('changes a setting in all manifests and publishes them', async () => {
    const repo = await repository('a', 'b');
    const checkout = await repo.checkout('main');
    const env = { FORMULARY_API_KEY: repo.key };
    await runScript(repo, 'formulary formula push formulas', env, checkout);
    const edit = `jq '.configuration[0].name = "REGION"' formulas/a/manifest.json > x && mv x formulas/a/manifest.json`;
    const { code, log } = await runScript(repo, `${edit}\n${CHANGE_SCRIPT}`, env, checkout);
    expect({ code, log }).toMatchObject({ code: 0, log: expect.stringContaining('1 updated, 1 unchanged') });
  });

  it('changes code, checks, tests, and compares only what changed, and publishes the plan', async () => {
    const repo = await repository('a', 'b');
    await repo.commit({ 'formulas/a/code.js': "module.exports = async () => ({ raw: 'api.old.example' });\n" });
    const checkout = await repo.checkout('main');
    const env = { FORMULARY_API_KEY: repo.key };
    await runScript(repo, 'formulary formula push formulas', env, checkout);
    const { code, log } = await runScript(repo, CODE_SCRIPT, {}, checkout);
    expect({ code, log }).toMatchObject({ code: 0, log: expect.stringContaining('formulas/a/code.js | 2 +-') });
    expect(log).toContain('differs formulas/a');
    const published = await runScript(repo, PLAN_SCRIPT, env, checkout);
    expect(published).toMatchObject({ code: 0, log: expect.stringContaining('1 updated') });
    expect(readFileSync(join(checkout, 'formulas/a/code.js'), 'utf8')).toContain('api.new.example');
  });

  it('lists failures, and exits with the code of the push', async () => {
    const repo = await repository('a');
    const checkout = folderWith(formulaFiles('a', 'b'));
    cpSync(join(checkout, 'formulas/a'), join(checkout, 'formulas/c'), { recursive: true });
    const { code, log } = await runScript(repo, FAILURES_SCRIPT, { FORMULARY_API_KEY: repo.key }, checkout);
    expect(code).toBe(3);
    expect(log).toMatch(/^formulas\/a\tinvalid\t.*same name as/m);
  });
});
