/** The built tool as a process of its own: what only real streams and signals show. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, formulaTree, inFolder } from './helpers/folders.ts';
import { installedTool } from './helpers/installed-tool.ts';
import { runTool } from './helpers/tool-process.ts';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const ENV = { PATH: process.env['PATH'] ?? '' };

const NO_WAITS = "require('node:timers/promises').setTimeout = () => new Promise(() => undefined);";

describe('the built tool', () => {
  it('prints its result and exits with its code', async () => {
    const validate = (folder: string) => runTool(['formula', 'validate', folder]);
    expect(await validate(folderWith(cardFiles()))).toMatchObject({ status: 0, err: '' });
    expect((await validate(folderWith(cardFiles({ type: 'x' })))).status).toBe(3);
  });

  it('remembers which folders of many are without findings', () => {
    const names = Array.from({ length: 20 }, (_, i) => `Card ${i}`);
    const state = folderWith();
    const env = { ...ENV, XDG_STATE_HOME: state, FORMULARY_LOCAL_DATA: join(state, 'local.db') };
    const cwd = formulaTree(...names);
    spawnSync(process.execPath, [TOOL, 'formula', 'push', '.', '--local'], { cwd, env });
    const { hashes } = JSON.parse(readFileSync(join(state, 'formulary/checked.json'), 'utf8'));
    expect(hashes).toHaveLength(names.length);
  });

  it('does not exit with success if it waits for an event that never occurs', () => {
    const preload = join(folderWith({ 'no-waits.cjs': NO_WAITS }), 'no-waits.cjs');
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--require', preload, TOOL, 'formula', 'list', '--base-url', 'http://127.0.0.1:9'],
      { encoding: 'utf8', env: { ...ENV, FORMULARY_API_KEY: 'key_of-the-test' } },
    );
    expect({ status, stderr }).toMatchObject({
      status: 70,
      stderr: expect.stringContaining('the command did not finish'),
    });
  });

  it.each([
    ['an exception', 'throw new Error("lost key_of-the-test");'],
    ['a rejection', 'Promise.reject(new Error("lost key_of-the-test"));'],
  ])('reports %s that no command handles as a bug, without a stack trace and the key', (_, code) => {
    const preload = join(folderWith({ 'crash.cjs': `setImmediate(() => { ${code} });` }), 'crash.cjs');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', preload, TOOL, 'formula', 'validate', folderWith(cardFiles())],
      { encoding: 'utf8', env: { ...ENV, FORMULARY_API_KEY: 'key_of-the-test' } },
    );
    expect({ status, stdout }).toEqual({ status: 70, stdout: '' });
    expect(stderr).toMatch(
      /^error: internal error \(this is a bug in formulary\): Error: lost (?!key_).*\nhint: Please report it/,
    );
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('exits as usual if its reader closes the pipe', async () => {
    const folders = Array.from({ length: 300 }, (_, i) => inFolder(`f${i}`, cardFiles({ owner: i })));
    const folder = folderWith(Object.assign({}, ...folders));
    const child = spawn(process.execPath, [TOOL, 'formula', 'validate', folder, '--json'], { env: ENV });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((done) => child.once('close', done));
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it.runIf(existsSync('/dev/full'))('reports output that cannot be written, without a stack trace', () => {
    const { status, stderr } = spawnSync(process.execPath, [TOOL, 'formula', 'validate', folderWith(cardFiles())], {
      encoding: 'utf8',
      env: ENV,
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: 'error: could not write the output (ENOSPC)\n' });
  });

  it.runIf(existsSync('/dev/full')).each([
    ['nothing', 1, 'formula validate FOLDER'],
    ['invalid', 3, 'formula validate INVALID'],
    ['usage', 2, 'formula validate no-such-folder'],
    ['usage', 2, '--json formula validate no-such-folder'],
    ['nothing', 1, 'help output'],
  ])('exits with the code of %s (%i) if neither of its streams can be written', (_, code, line) => {
    const [FOLDER, INVALID] = [folderWith(cardFiles()), folderWith(cardFiles({ type: 'x' }))];
    const words = line.split(' ').map((word) => ({ FOLDER, INVALID })[word] ?? word);
    for (const stdio of [
      ['full', 'full'],
      ['null', 'full'],
    ].slice(0, code === 1 ? 1 : 2)) {
      const [stdout, stderr] = stdio.map((name) => openSync(`/dev/${name}`, 'w'));
      const ended = spawnSync(process.execPath, [TOOL, ...words], { env: ENV, stdio: ['ignore', stdout, stderr] });
      expect({ stdio, status: ended.status }).toEqual({ stdio, status: code });
    }
  });

  it.runIf(process.platform !== 'win32').each(['000', '777'])(
    'saves a key for its user only with umask %s',
    (umask) => {
      const config = join(folderWith(), 'new');
      const words = 'auth login --base-url https://api.example.test --no-check';
      const { status, stderr } = spawnSync('sh', ['-c', `umask ${umask}; "${process.execPath}" "${TOOL}" ${words}`], {
        encoding: 'utf8',
        env: { ...ENV, XDG_CONFIG_HOME: config },
        input: 'key_of-the-test',
      });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      const places = ['', 'formulary', 'formulary/profiles', 'formulary/profiles/default.json'];
      expect(places.map((place) => (statSync(join(config, place)).mode & 0o777).toString(8))).toEqual([
        '700',
        '700',
        '700',
        '600',
      ]);
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)('stops the service with 0 on %s', async (signal) => {
    const child = spawn(process.execPath, [TOOL, 'service', 'start', '--data', join(folderWith(), 'x.db')], {
      env: ENV,
    });
    const address = await new Promise((done) => child.stdout.once('data', (text) => done(String(text))));
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    child.kill(signal);
    expect(await new Promise((done) => child.once('close', done))).toBe(0);
  });

  it.runIf(process.platform !== 'win32')('bundles code.ts with only the esbuild package of this platform', () => {
    const place = installedTool();
    const program = `node_modules/@esbuild/${process.platform}-${process.arch}`;
    mkdirSync(join(place, program, 'bin'), { recursive: true });
    for (const file of ['package.json', 'bin/esbuild'])
      symlinkSync(join(import.meta.dirname, '..', program, file), join(place, program, file));
    const { 'code.js': _, ...rest } = cardFiles();
    const folder = folderWith({ ...rest, 'code.ts': 'export default async ({ args }: any) => ({ raw: args });' });
    const words = [join(place, 'bin/formulary.js'), 'formula', 'validate', folder];
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', env: ENV });
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  it('does not report code that is too deep to be compiled as invalid, there too', () => {
    const code = `module.exports = async () => ({});\nx = ${'['.repeat(10_000)}${']'.repeat(10_000)};`;
    const statuses = ['', '--disallow-code-generation-from-strings'].map((options) => {
      const words = [TOOL, 'formula', 'validate', folderWith({ ...cardFiles(), 'code.js': code })];
      return spawnSync(process.execPath, words, { env: { ...ENV, NODE_OPTIONS: options } }).status;
    });
    expect(statuses).toEqual([0, 0]);
  });

  it.each([
    ['let a;\n  let a;\nmodule.exports = async () => ({});', 2, 7, "'a'"],
    ['\n}); module.exports = async () => ({}); (function () {', 2, 1, 'Unexpected token'],
    ['} (module.exports = async () => ({})), function () {', 1, 1, 'Unexpected token'],
  ])('finds invalid code even if Node.js must not compile strings: %j', (code, line, column, found) => {
    const validated = (files: Record<string, string | Buffer>) =>
      spawnSync(process.execPath, [TOOL, 'formula', 'validate', '-o', 'json', folderWith(files)], {
        encoding: 'utf8',
        env: { ...ENV, NODE_OPTIONS: '--disallow-code-generation-from-strings' },
      });
    expect(validated(cardFiles()).status).toBe(0);
    const { status, stdout } = validated({ ...cardFiles(), 'code.js': code });
    const finding = { rule: 'code-syntax', line, column, message: expect.stringContaining(found) };
    expect({ status, findings: JSON.parse(stdout).items[0].findings }).toEqual({
      status: 3,
      findings: [expect.objectContaining(finding)],
    });
  });

  it.each([
    ['async () => {', '}'],
    ['if (a) {', '}'],
    ['[', ']'],
    ['(x = ', ') => x'],
    ['class { [', '] = 1 }'],
    ['`${', '}`'],
  ])('survives code that is nested ten thousand times: %s', (open, close) => {
    const code = `module.exports = async () => ({});\nx = ${open === 'if (a) {' ? '1;' : ''}${open.repeat(10_000)}1${close.repeat(10_000)};`;
    const { status, stderr } = spawnSync(
      process.execPath,
      [TOOL, 'formula', 'validate', folderWith({ ...cardFiles(), 'code.js': code })],
      { encoding: 'utf8', env: ENV },
    );
    expect({ isKnown: status === 0 || status === 3, stderr }).toEqual({ isKnown: true, stderr: '' });
  });
});
