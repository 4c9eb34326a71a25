/** formula dev: what it prints, what it follows on the disk, the tests that it writes, and how it ends. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProof } from '../../src/dev/guard.ts';
import { cardFiles, folderWith, inFolder, writeFiles } from '../helpers/folders.ts';
import { expectExit, run } from '../helpers/test-host.ts';
import { type RunningWorkbench, startWorkbench } from '../helpers/workbench.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');

const CODE =
  'module.exports = async (req) => ({ raw: { number: req.args.card.number, brands: req.configuration.BRANDS } });\n';
/** The files of a formula in a folder of this name. */
const cardBelow = (folder: string, code = CODE) => inFolder(folder, cardFiles({}, { 'code.js': code }));

const FILES = cardBelow('card');
const REQUEST = { args: { card: { number: '4242' } }, configuration: { BRANDS: 'visa' } };

/** The list as it is when it fulfills the condition. */
async function listWhen({ send }: RunningWorkbench, isDone: (formulas: { id: string; valid: boolean }[]) => boolean) {
  for (let version = 0; ; ) {
    const { body } = await send('GET', `/formulas?after=${version}`);
    if (isDone(body.formulas)) return body.formulas;
    version = body.version;
  }
}

describe('formula dev', () => {
  it('prints the URL on stdout, and a curl command on stderr, without the token in its arguments', async () => {
    const { url, token, texts, stop } = await startWorkbench(FILES);
    expect(texts.out).toBe(`${url}/#token=${token}\n`);
    expect(texts.err).toContain('Serving 1 formula. Press Ctrl-C to stop.\n');
    expect(texts.err).toContain(`echo 'Authorization: Bearer ${token}' | curl -H @- -H 'Content-Type`);
    expect(texts.err).toContain(
      `'{"args":{"card":{"number":"text"}},"configuration":{"BRANDS":"text"}}' ${url}/formulas/card\n`,
    );
    expect(await stop()).toBe(0);
  });

  it('prints one line per run, and one per change of the findings', async () => {
    const workbench = await startWorkbench(FILES);
    await workbench.send('POST', '/formulas/card', REQUEST);
    expect(workbench.texts.err).toMatch(/^\d\d:\d\d:\d\d POST \/formulas\/card 200 \d+ ms\n/m);
    writeFileSync(join(workbench.cwd, 'card/code.js'), 'module.exports = (');
    await listWhen(workbench, ([card]) => card?.valid === false);
    expect(workbench.texts.err).toMatch(/^\d\d:\d\d:\d\d card: invalid, 1 error\n/m);
  });

  it('lists folders that are created or removed while it runs', async () => {
    const workbench = await startWorkbench(FILES);
    writeFiles(join(workbench.cwd, 'new'), cardFiles());
    await listWhen(workbench, (formulas) => formulas.some(({ id, valid }) => id === 'new' && valid));
    rmSync(join(workbench.cwd, 'card'), { recursive: true });
    expect(await listWhen(workbench, (formulas) => formulas.length === 1)).toMatchObject([{ id: 'new' }]);
  });

  it('follows files that a bundle imports', async () => {
    const code =
      "import { pick } from '../lib/pick.ts';\nexport default async (req: object) => ({ raw: pick(req) });\n";
    const { 'card/code.js': _, ...files } = FILES;
    const lib = 'export const pick = (value: object) => value;\n';
    const workbench = await startWorkbench({ ...files, 'card/code.ts': code, 'lib/pick.ts': lib }, ['card']);
    writeFileSync(join(workbench.cwd, 'lib/pick.ts'), 'export const pick = (');
    const [card] = await listWhen(workbench, ([first]) => first?.valid === false);
    expect(card).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ file: '../lib/pick.ts' })]),
    });
  });

  it('keeps the form of a folder that became invalid', async () => {
    const workbench = await startWorkbench(FILES);
    writeFileSync(join(workbench.cwd, 'card/code.js'), 'module.exports = (');
    const [card] = await listWhen(workbench, ([first]) => first?.valid === false);
    expect(card).toMatchObject({ declarations: { configuration: [{ name: 'BRANDS', type: 'string' }] } });
  });

  it('exits with 2 if the port is in use, is not a port, or there is no formula', async () => {
    const { url, cwd } = await startWorkbench(FILES);
    const port = new URL(url).port;
    expectExit(await run(['formula', 'dev', '--port', port], { cwd }), 2, `port ${port} is in use`, '');
    expect(await run(['formula', 'dev', '--port', 'x'], { cwd })).toMatchObject({ code: 2, out: '' });
    expect(await run(['formula', 'dev'], { cwd: folderWith() })).toMatchObject({ code: 2, out: '' });
  });
});

const ENDLESS = `module.exports = async ({ args, configuration }) => {
  require('node:fs').writeFileSync(args.card.number, configuration.BRANDS);
  await new Promise((done) => setTimeout(done, 3e4));
};
`;

describe('the process of formula dev', () => {
  it.each([
    // Enough folders to be checked in threads.
    ['SIGINT', 120],
    ['SIGTERM', 1],
  ] as const)('exits with 0 by %s while a run is under way, with %i other formulas', async (signal, count) => {
    const others = Array.from({ length: count }, (_, i) => cardBelow(`f${i}`));
    const cwd = folderWith(Object.assign(cardBelow('endless', ENDLESS), ...others));
    const started = join(folderWith(), 'started');
    const child = spawn(process.execPath, [TOOL, 'formula', 'dev'], {
      cwd,
      env: { PATH: process.env['PATH'], XDG_STATE_HOME: folderWith() },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    onTestFinished(() => void child.kill('SIGKILL'));
    const printed = await new Promise<Buffer>((done) => child.stdout.once('data', done));
    const [url = '', token = ''] = printed.toString().trim().split('/#token=');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ args: { card: { number: started } }, configuration: { BRANDS: 'visa' } });
    const responses = [
      fetch(`${url}/formulas/endless`, { method: 'POST', headers, body }),
      fetch(`${url}/formulas?after=1`, { headers }),
    ];
    await expect.poll(() => existsSync(started), { interval: 20, timeout: 20_000 }).toBe(true);
    child.kill(signal);
    expect(await ended).toBe(0);
    await Promise.allSettled(responses);
  });
});

describe('save as test', () => {
  const save = ({ send }: RunningWorkbench, name: unknown, request: object = REQUEST) =>
    send('POST', '/formulas/card/tests', { name, ...request });

  it('writes a test that formula test passes', async () => {
    const workbench = await startWorkbench(FILES);
    expect(await save(workbench, 'first card')).toMatchObject({
      status: 201,
      body: { saved: { file: 'tests/first card.json' } },
    });
    expect(workbench.texts.err).toContain('saved card/tests/first card.json\n');
    expect(await run(['formula', 'test', 'card'], { cwd: workbench.cwd })).toMatchObject({ code: 0 });
  });

  it('writes what the code threw as the expected error', async () => {
    const code = "module.exports = async (req) => { throw new Error('no ' + req.configuration.BRANDS); };\n";
    const workbench = await startWorkbench({ ...FILES, 'card/code.js': code });
    expect(await save(workbench, 'fails')).toMatchObject({ status: 201 });
    const test = JSON.parse(readFileSync(join(workbench.cwd, 'card/tests/fails.json'), 'utf8'));
    expect(test.expect).toEqual({ error: { message: 'no visa' } });
  });

  it.each(['../x', 'a/b', '.x', '', 'CON', 'x'.repeat(101), 1, undefined])('rejects the name %j', async (name) => {
    const workbench = await startWorkbench(FILES);
    expect(await save(workbench, name)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('name must be') },
    });
    expect(existsSync(join(workbench.cwd, 'card/tests'))).toBe(false);
  });

  it('replaces no file, and follows no link', async () => {
    const workbench = await startWorkbench({ ...FILES, 'card/tests/old.json': '[]' });
    expect(await save(workbench, 'old')).toMatchObject({ status: 409 });
    expect(readFileSync(join(workbench.cwd, 'card/tests/old.json'), 'utf8')).toBe('[]');
    rmSync(join(workbench.cwd, 'card/tests'), { recursive: true });
    const elsewhere = folderWith();
    symlinkSync(elsewhere, join(workbench.cwd, 'card/tests'));
    expect(await save(workbench, 'new')).toMatchObject({ status: 409 });
    expect(existsSync(join(elsewhere, 'new.json'))).toBe(false);
  });

  it('runs the code that is on the disk, with the input that is sent', async () => {
    const workbench = await startWorkbench(FILES);
    await workbench.send('POST', '/formulas/card?details', REQUEST);
    writeFileSync(join(workbench.cwd, 'card/code.js'), 'module.exports = async ({ args }) => ({ raw: args });\n');
    const args = { card: { number: '5555' } };
    expect(await save(workbench, 'new', { ...REQUEST, args })).toMatchObject({
      status: 201,
      body: { raw: args, details: { status: 200 }, saved: { passes: true } },
    });
  });

  it('writes nothing for input that the code cannot be run with', async () => {
    const workbench = await startWorkbench(FILES);
    expect(await save(workbench, 'new', {})).toMatchObject({
      status: 400,
      body: { errors: { 'args.card.number': [expect.stringContaining('is required')] } },
    });
    expect(existsSync(join(workbench.cwd, 'card/tests'))).toBe(false);
  });
});

describe('the next formula dev of a folder', () => {
  const restart = async ({ cwd, env }: { cwd: string; env: Record<string, string> }, args: string[] = []) =>
    startWorkbench({}, args, env, cwd);

  it('has the same port and token, so that open pages find it', async () => {
    const env = { XDG_STATE_HOME: folderWith() };
    const first = await startWorkbench(FILES, [], env);
    await first.stop();
    const second = await restart({ cwd: first.cwd, env });
    expect([second.url, second.token]).toEqual([first.url, first.token]);
    const proof = async (nonce: string) => (await second.send('GET', `/proof?nonce=${nonce}`)).body.proof;
    const port = Number(new URL(second.url).port);
    expect(await proof('n')).toBe(createProof(first.token, 'n', port));
    // While it runs, the next one has another port and token.
    const third = await restart({ cwd: first.cwd, env });
    expect(third.url).not.toBe(first.url);
    expect(third.token).not.toBe(first.token);
  });

  it('has a new token on another port', async () => {
    const env = { XDG_STATE_HOME: folderWith() };
    const first = await startWorkbench(FILES, [], env);
    expect((await restart({ cwd: first.cwd, env }, ['--port', '0'])).token).not.toBe(first.token);
  });
});

describe('the published version', () => {
  it('is compared with the folder, and nothing is changed', async () => {
    const env = { FORMULARY_PROFILE: 'local', XDG_DATA_HOME: folderWith(), XDG_STATE_HOME: folderWith() };
    const workbench = await startWorkbench(FILES, [], env);
    const compare = async () => (await workbench.send('GET', '/formulas/card/published')).body.text;
    expect(await compare()).toMatch(/^\+ create /);
    expect(await run(['formula', 'push', 'card', '--yes'], { cwd: workbench.cwd, env })).toMatchObject({ code: 0 });
    expect(await compare()).toMatch(/^. keep /);
    writeFileSync(join(workbench.cwd, 'card/code.js'), CODE.replace('number:', 'digits:'));
    expect(await compare()).toContain('+module.exports = async (req) => ({ raw: { digits:');
  });

  it('is not offered without a service', async () => {
    const { send } = await startWorkbench(FILES);
    expect((await send('GET', '/formulas')).body.has_service).toBe(false);
  });
});
