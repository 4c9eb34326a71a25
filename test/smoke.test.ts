/**
 * The packed tool on the Node.js of the tests: a formula from init to delete, against the embedded service. Each command
 * prints nothing on stderr but what is listed here, so that a warning of Node.js or an error of V8 is found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from './helpers/folders.ts';
import { installPacked, packedEnv, runPacked } from './helpers/packed-tool.ts';

const MODULES = join(import.meta.dirname, '../node_modules');
const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';
const ARGS = ['--args', '{"customer":{"name":"Ada"},"loud":true}'];
const REQUEST = [...ARGS, '--configuration', '{"GREETING":"Hello"}', '--node', process.execPath];

let place = '';

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'formulary-smoke-'));
  installPacked(place);
  // The optional packages, as the checkout has them: a registry is not asked.
  for (const name of ['@esbuild', 'libsql']) symlinkSync(join(MODULES, name), join(place, 'node_modules', name));
}, 60_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** The expected exit code and stderr of a run. */
interface Expected {
  status?: number;
  stderr?: RegExp;
}

/** What init prints on stderr: which commands may follow. */
const NEXT = /^Created formula folder .+\n(.+: formulary formula \w+ \w+.*\n)+$/;

/** Runs the tool in a folder, checks how it ended, and returns its stdout. */
function expectRun(
  cwd: string,
  env: Record<string, string>,
  words: string[],
  { status = 0, stderr = /^$/ }: Expected = {},
): string {
  const { stdout, ...ended } = runPacked(place, words, { cwd, env });
  expect({ words, ...ended }).toEqual({ words, status, stderr: expect.stringMatching(stderr) });
  return stdout;
}

/** Starts the embedded service as a process; `stop` ends it and returns what it printed on stderr. */
async function startService(folder: string) {
  const child = spawn(join(place, 'node_modules/.bin/formulary'), ['service', 'start', '--data', 'service.db'], {
    cwd: folder,
    env: { ...packedEnv(place), FORMULARY_SERVICE_KEY: KEY },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [line] = await once(child.stdout, 'data');
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    return { code, stderr };
  };
  return { env: { FORMULARY_BASE_URL: String(line).trim(), FORMULARY_API_KEY: KEY }, stop };
}

/** A formula from create to delete, on the service that the environment names. */
function publish(folder: string, env: Record<string, string>): void {
  const run = (line: string, expected?: Expected) => expectRun(folder, env, ['formula', ...line.split(' ')], expected);
  const json = (line: string, expected?: Expected) => JSON.parse(run(`${line} --json`, expected));

  run('init greet', { stderr: NEXT });
  expect(json('diff greet', { status: 10 }).items).toMatchObject([{ action: 'create' }]);
  run('push greet', { stderr: /^Service: (.*)\n1 created on \1\n$/ });
  expect(json('push greet').items).toMatchObject([{ outcome: 'unchanged' }]);
  run('diff greet --json');
  const code = readFileSync(join(folder, 'greet/code.js'), 'utf8');
  writeFileSync(join(folder, 'greet/code.js'), `${code}// changed\n`);
  expect(json('push greet').items).toMatchObject([{ outcome: 'updated' }]);
  expect(run('get greet --code')).toBe(`${code}// changed\n`);
  run('init typed --template ts', { stderr: NEXT });
  expect(json('push .').summary).toMatchObject({ total: 2, created: 1, unchanged: 1 });
  expect(json('list')).toHaveLength(2);
  expect(json('pull --dir pulled').items).toMatchObject([{ outcome: 'written' }, { outcome: 'written' }]);
  expect(json('delete greet --yes').items).toMatchObject([{ outcome: 'deleted' }]);
  const [{ entry }] = json('history greet');
  expect(json(`restore ${entry} --yes`)).toMatchObject({ name: 'greet' });
  expect(JSON.parse(expectRun(folder, env, ['permissions', 'list', '--json']))).toHaveLength(30);
  expect(expectRun(folder, env, ['doctor', '--json'])).toContain(process.execPath);
}

describe('the packed tool on this Node.js', () => {
  it('prints its version and the help of each command', () => {
    expect(expectRun(place, {}, ['--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const line of ['--help', 'formula push --help', 'service start --help', 'help environment']) {
      expectRun(place, {}, line.split(' '));
    }
  });

  it('validates, tests, and runs a formula', () => {
    const folder = folderWith();
    for (const [name, template] of Object.entries({ plain: 'js', typed: 'ts' })) {
      const run = (...words: string[]) => expectRun(folder, {}, ['formula', ...words]);
      expectRun(folder, {}, ['formula', 'init', name, '--template', template], { stderr: NEXT });
      expect(run('validate', name)).toBe(`${name}: valid\n`);
      run('types', name);
      expectRun(folder, {}, ['formula', 'test', name, '--node', process.execPath], {
        stderr: /^2 passed, 0 failed\n$/,
      });
      expect(JSON.parse(run('run', name, ...REQUEST))).toEqual({ raw: { greeting: 'HELLO, ADA!' } });
    }
  });

  it('publishes formulas to the embedded service in its own process', () => {
    const folder = folderWith();
    publish(folder, { FORMULARY_PROFILE: 'local', HOME: folder });
  });

  it('publishes formulas to the embedded service over HTTP', async () => {
    const folder = folderWith();
    const { env, stop } = await startService(folder);
    publish(folder, { ...env, HOME: folder });
    const { code, stderr } = await stop();
    const requests = /^\S+ (GET|POST|PUT|DELETE) \/\S+ (20[0-4]|404) \d+ ms\n/gm;
    const instructions = /^Listening .*\n {2}export FORMULARY_BASE_URL=\S+\n {2}export FORMULARY_API_KEY='<key>'\n/;
    expect({ code, rest: stderr.replace(requests, '').replace(instructions, '') }).toEqual({ code: 0, rest: '' });
  });
});
