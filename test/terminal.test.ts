/** The built tool on a real terminal: what is typed as a key is not shown, and the terminal is given back as it was. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from './helpers/folders.ts';
import { json, loopback } from './helpers/loopback.ts';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const SCRIPT = '/usr/bin/script';
const KEY = 'key_typed-by-a-person';

/** Runs words of the tool on a terminal of its own, then shows the terminal's settings and the exit code. */
function terminal(words: string, env: Record<string, string>, cwd?: string) {
  // Ctrl-C reaches the shell too, which must continue.
  const line = `trap : INT; stty cols 80; "${process.execPath}" "${TOOL}" ${words}; echo "ended with $?"; stty -a`;
  const child = spawn(SCRIPT, ['-qefc', line, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', TERM: 'xterm', ...env },
    ...(cwd !== undefined && { cwd }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  const over = new Promise<void>((done) => child.once('close', () => done()));
  const shows = (text: string) =>
    new Promise<void>((done) => {
      const look = () => screen.includes(text) && done();
      child.stdout.on('data', look);
      look();
    });
  child.stdout.on('data', (chunk) => {
    screen += chunk;
  });
  return { type: (text: string) => child.stdin.write(text), shows, over, screen: () => screen };
}

/** Echo and line editing, as the settings of a terminal that is as it should be name them. */
const AS_IT_WAS = [/\secho\s/, /\sicanon\s/, /\sisig\s/];

describe.runIf(process.platform === 'linux' && existsSync(SCRIPT))('on a terminal', () => {
  it.each(['xterm', 'dumb'])('a typed key is saved and never shown, with TERM=%s', async (TERM) => {
    const { url, requests } = await loopback((_, response) => json(response, 200, { data: [] }));
    const config = folderWith();
    const { type, shows, over, screen } = terminal(`auth login --base-url ${url}`, { TERM, XDG_CONFIG_HOME: config });
    await shows('(input hidden): ');
    type(`${KEY.slice(0, 10)}`);
    type(`x\x7f${KEY.slice(10)}\r`);
    await over;
    expect(requests.map(({ headers }) => headers['svc-api-key'])).toEqual([KEY]);
    expect(screen()).toContain('ended with 0');
    expect(screen()).not.toMatch(/key_t|person/);
    for (const setting of AS_IT_WAS) expect(screen()).toMatch(setting);
    expect(JSON.parse(readFileSync(join(config, 'formulary/profiles/default.json'), 'utf8')).api_key).toBe(KEY);
  });

  it('--api-key-stdin does not show the key either', async () => {
    const { url, requests } = await loopback((_, response) => json(response, 200, { data: [] }));
    const { type, shows, over, screen } = terminal(`formula list --api-key-stdin --base-url ${url}`, {});
    await shows('API key: ');
    type(`${KEY}\r`);
    await over;
    expect(requests.map(({ headers }) => headers['svc-api-key'])).toEqual([KEY]);
    expect(screen()).not.toMatch(/key_t|person/);
    for (const setting of AS_IT_WAS) expect(screen()).toMatch(setting);
  });

  it.each([
    ['Ctrl-C', '\x03', 'ended with 130'],
    ['Ctrl-D', '\x04', 'ended with 4'],
  ])('%s ends the prompt, saves nothing, and restores the terminal', async (_, key, end) => {
    const config = folderWith();
    const { type, shows, over, screen } = terminal('auth login --base-url https://api.example.test', {
      XDG_CONFIG_HOME: config,
    });
    await shows('(input hidden): ');
    type('key_half');
    type(key);
    if (key === '\x04') type('\x15\x04');
    await over;
    expect(screen()).toContain(end);
    expect(screen()).not.toContain('key_half');
    for (const setting of AS_IT_WAS) expect(screen()).toMatch(setting);
    expect(existsSync(join(config, 'formulary'))).toBe(false);
  });

  it('init draws its prompts, and uses the selection', async () => {
    const cwd = folderWith();
    const { type, shows, over, screen } = terminal('formula init new', {}, cwd);
    await shows('Name of the formula');
    type('Sign it\r');
    await shows('Template');
    type('\x1b[B\x1b[B\r');
    await shows('Description');
    type('\r');
    await over;
    expect(screen()).toContain('ended with 0');
    expect(JSON.parse(readFileSync(join(cwd, 'new/manifest.json'), 'utf8'))).toMatchObject({
      name: 'Sign it',
      description: 'Tokenizes a card number and returns its last four digits',
    });
    for (const setting of AS_IT_WAS) expect(screen()).toMatch(setting);
  });

  it.each([
    ['Ctrl-C', 'drawn', 130, '\x03', {}],
    ['Ctrl-C', 'without colour', 130, '\x03', { NO_COLOR: '1' }],
    ['Ctrl-D', 'drawn', 2, '\x04', {}],
    ['Ctrl-D', 'without colour', 2, '\x04', { NO_COLOR: '1' }],
  ])('%s at a prompt of init, %s, exits with %i and writes nothing', async (_, __, code, keys, env) => {
    const cwd = folderWith();
    const { type, shows, over, screen } = terminal('formula init new', env, cwd);
    await shows('Name of the formula');
    type('Sign it\r');
    await shows('Template');
    type(keys);
    await over;
    expect(screen()).toContain(`ended with ${code}`);
    expect(readdirSync(cwd)).toEqual([]);
    // The cursor is shown again where it was hidden.
    expect(screen().lastIndexOf('\x1b[?25h')).toBeGreaterThanOrEqual(screen().lastIndexOf('\x1b[?25l'));
    for (const setting of AS_IT_WAS) expect(screen()).toMatch(setting);
  });
});
