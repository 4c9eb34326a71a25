/** What is true of the action and all recipes of docs/ci.md, and the scripts over many formulas. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { folderWith } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';
import { pathWithTool } from '../helpers/tool-on-path.ts';
import { ACTION, type Workflow } from './github.ts';
import { type Ended, type Environment, formulaFiles, ROOT, bash as runBash } from './project.ts';
import { blocks, DOC, GITLAB_FILE } from './recipes.ts';

const FILES = blocks('yaml');
const WORKFLOWS = FILES.filter((text) => text.startsWith('name:')).map((text): Workflow => parse(text));
const GITLAB = parse(GITLAB_FILE);

/** Every script that a runner or a reader runs with bash. */
const scripts = (): string[] => [
  ...[...WORKFLOWS.flatMap(({ jobs }) => Object.values(jobs)), ACTION.runs].flatMap(({ steps }) =>
    steps.flatMap(({ run: script = [] }) => script),
  ),
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

describe('the action and the recipes', () => {
  it('are found', () => {
    expect(WORKFLOWS.map(({ jobs }) => Object.keys(jobs))).toEqual([
      ['plan', 'publish'],
      ['publish'],
      ['drift'],
      ['update'],
    ]);
    expect(FILES).toHaveLength(4);
    expect(blocks('bash')).toHaveLength(2);
    expect(scripts().length).toBeGreaterThan(12);
  });

  it('use only features of bash 3.2', () => {
    for (const script of scripts()) for (const pattern of NEWER_BASH) expect(script).not.toMatch(pattern);
  });

  it('install the version of this package everywhere', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(ACTION.inputs['version']?.default).toBe(version);
    const installs = scripts().flatMap((script) => script.match(/npm install.*/g) ?? []);
    expect(new Set(installs)).toEqual(
      new Set([
        'npm install --global --ignore-scripts "formulary-cli@$VERSION"',
        `npm install --global --ignore-scripts formulary-cli@${version}`,
      ]),
    );
  });

  it('pass the key only to steps and to the action, never to a workflow or a job', () => {
    for (const { jobs, ...workflow } of WORKFLOWS) {
      expect(JSON.stringify(workflow)).not.toContain('secrets.');
      for (const { steps: _, ...job } of Object.values(jobs)) expect(JSON.stringify(job)).not.toContain('secrets.');
    }
    const withKey = ACTION.runs.steps.filter(({ env }) => env?.['FORMULARY_API_KEY']).map(({ name }) => name);
    expect(withKey).toEqual(['Plan', 'Push']);
  });

  it('use one version of each action, and one Node.js', () => {
    const uses = new Set(DOC.match(/actions\/[\w-]+@v\d+/g));
    expect([...uses].map((use) => use.split('@')[0])).toEqual([
      'actions/checkout',
      'actions/setup-node',
      'actions/upload-artifact',
      'actions/download-artifact',
    ]);
    const nodes = [...(DOC + GITLAB_FILE).matchAll(/node-version: (\d+)|image: node:(\d+)/g)].map(([, a, b]) => a ?? b);
    expect(new Set(nodes).size).toBe(1);
  });

  it('check out the whole history wherever they check out', () => {
    for (const { jobs } of WORKFLOWS)
      for (const { steps } of Object.values(jobs))
        for (const { uses, with: inputs } of steps)
          if (uses?.startsWith('actions/checkout@')) expect(inputs?.['fetch-depth']).toBe(0);
    expect(GITLAB.variables['GIT_DEPTH']).toBe('0');
  });

  it('run no pull request with the secrets of the repository, and use no other action', () => {
    for (const workflow of WORKFLOWS) expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    expect(ACTION.runs.steps.filter(({ uses }) => uses)).toEqual([]);
  });

  it('contain no expressions in scripts, whose values would be executed as code', () => {
    for (const script of scripts()) expect(script).not.toContain('${{');
  });
});

describe.runIf(spawnSync('jq', ['--version']).status === 0)('a script over many formulas', () => {
  const [change = '', failures = ''] = blocks('bash');

  function checkout(): { cwd: string; env: Environment } {
    const cwd = folderWith(formulaFiles('a', 'b'));
    const env = {
      PATH: pathWithTool(),
      HOME: folderWith(),
      XDG_STATE_HOME: folderWith(),
      FORMULARY_PROFILE: 'local',
      FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'),
      FORMULARY_TARGET: 'production',
    };
    return { cwd, env };
  }

  const bash = (script: string, { cwd, env }: ReturnType<typeof checkout>): Promise<Ended> => runBash(script, cwd, env);

  async function formulary(words: string, place: ReturnType<typeof checkout>): Promise<void> {
    expect(await run(['formula', ...words.split(' ')], place)).toMatchObject({ code: 0 });
  }

  it('changes a setting in all manifests and publishes them', async () => {
    const place = checkout();
    await formulary('push formulas', place);
    const edit = `jq '.configuration[0].name = "REGION"' formulas/a/manifest.json > x && mv x formulas/a/manifest.json`;
    await bash(edit, place);
    const { code, log } = await bash(change, place);
    expect({ code, log }).toMatchObject({ code: 0, log: expect.stringContaining('1 updated, 1 unchanged') });
  });

  it('lists failures, and exits with the code of the push', async () => {
    const place = checkout();
    cpSync(join(place.cwd, 'formulas/a'), join(place.cwd, 'formulas/c'), { recursive: true });
    const { code, log } = await bash(failures, place);
    expect(code).toBe(3);
    expect(log).toMatch(/^formulas\/a\tinvalid\t.*same name as/m);
  });
});
