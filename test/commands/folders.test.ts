/** validate and init: commands without requests. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

describe('validate', () => {
  it('reports the problem with its location and the expected value, and exits with 3', async () => {
    const cwd = folderWith(inFolder('card', cardFiles({ type: 'Private' })));
    expect(await run(['formula', 'validate', 'card'], { cwd })).toEqual({
      code: 3,
      err: '',
      out: 'card/manifest.json:4:11 error type-value: type must be "private" or "official" (got "Private")\ncard: invalid\n',
    });
  });

  it('prints a result document with --json, for one folder too', async () => {
    const cwd = folderWith(cardFiles({ owner: 'x' }));
    const { code, out } = await run(['formula', 'validate', '.', '--json'], { cwd });
    expect(code).toBe(0);
    const findings = [{ file: 'manifest.json', level: 'warning', rule: 'manifest-unknown-key' }];
    expect(JSON.parse(out)).toMatchObject({
      schema_version: 1,
      items: [{ folder: '.', name: 'Tokenize a card', outcome: 'valid', findings }],
      summary: { total: 1, valid: 1, invalid: 0 },
    });
  });

  it('finds formulas at any depth, each once, and skips node_modules and dot folders', async () => {
    const cwd = folderWith({
      ...inFolder('all/a', cardFiles()),
      ...inFolder('all/deep/er/b', cardFiles()),
      ...inFolder('all/node_modules/c', cardFiles()),
      ...inFolder('all/.git/d', cardFiles()),
    });
    symlinkSync(join(cwd, 'all/a'), join(cwd, 'again'));
    const { out } = await run(['formula', 'validate', 'all', 'all/a', 'again', '--json'], { cwd });
    expect(JSON.parse(out).items.map(({ folder }: { folder: string }) => folder)).toEqual(['all/a', 'all/deep/er/b']);
  });

  it.each([
    ['a broken symbolic link', (path: string) => symlinkSync('broken symbolic link', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('reports a formula in a PATH whose manifest is %s', async (found, make) => {
    const cwd = folderWith({ ...inFolder('all/fine', cardFiles()), 'all/odd/code.js': '' });
    make(join(cwd, 'all/odd/manifest.json'));
    const { code, out } = await run(['formula', 'validate', 'all'], { cwd });
    expect(code).toBe(3);
    expect(out).toContain('all/fine: valid\n');
    expect(out).toContain(
      `all/odd/manifest.json:1:1 error manifest-missing: manifest.json must be a regular file (got ${found}`,
    );
  });

  it.each([
    ['a broken link', (path: string) => symlinkSync('broken symbolic link', path), 'broken symbolic link'],
    ['a folder', (path: string) => mkdirSync(path), 'a folder'],
  ])('rejects code that is %s', async (_, make, words) => {
    const { 'code.js': _code, ...rest } = cardFiles();
    const cwd = folderWith(rest);
    make(join(cwd, 'code.js'));
    expect(await run(['formula', 'validate', '.'], { cwd })).toMatchObject({
      code: 3,
      out: expect.stringContaining(words),
    });
  });

  it.each([
    ['a folder without any formula', { 'notes/x.txt': '' }, 2],
    ['a folder of code without a manifest', { 'code.js': '' }, 3],
  ])('exits for %s with the right code', async (_, files, code) => {
    expect(await run(['formula', 'validate', '.'], { cwd: folderWith(files) })).toMatchObject({ code });
  });

  it('escapes a folder name that could control a log', async () => {
    const cwd = folderWith(inFolder('::error::x\x1b[2J', cardFiles({ type: 'x' })));
    const { out } = await run(['formula', 'validate', '::error::x\x1b[2J'], { cwd });
    expect(out).not.toContain('\x1b');
    expect(out).not.toMatch(/^::/m);
  });
});

describe('init', () => {
  it('adds a launch configuration for VS Code on request', async () => {
    const cwd = folderWith();
    const { out } = await run(['formula', 'init', 'new', '--vscode'], { cwd });
    expect(out).toContain('new/.vscode/launch.json\n');
    const { configurations } = JSON.parse(readFileSync(join(cwd, 'new/.vscode/launch.json'), 'utf8'));
    expect(configurations).toMatchObject([{ type: 'node', request: 'attach', port: 9229 }]);
    expect(await run(['formula', 'validate', 'new'], { cwd })).toMatchObject({
      code: 0,
      err: expect.not.stringContaining('warning'),
    });
  });

  it('creates a folder that validates without a finding, and lists its files', async () => {
    const cwd = folderWith();
    expect(await run(['formula', 'init', 'deep/new'], { cwd })).toMatchObject({
      code: 0,
      out: 'deep/new/manifest.json\ndeep/new/code.js\ndeep/new/tests/greets.json\ndeep/new/.gitattributes\n',
    });
    const valid = { code: 0, out: 'deep/new: valid\n', err: '' };
    expect(await run(['formula', 'validate', 'deep/new'], { cwd })).toEqual(valid);
    expect(readdirSync(join(cwd, 'deep/new')).sort()).toEqual(['.gitattributes', 'code.js', 'manifest.json', 'tests']);
    expect(readdirSync(join(cwd, 'deep'))).toEqual(['new']);
    expect(statSync(join(cwd, 'deep/new')).mode & 0o700).toBe(0o700);
  });

  it('prints the next commands for any name', async () => {
    const cwd = folderWith();
    expect((await run(['formula', 'init', 'my new'], { cwd })).err).toBe(
      "Created formula folder my new\nnext: formulary formula test 'my new'\nnext: formulary formula push 'my new' --local\n",
    );
    expect((await run(['formula', 'init', '--', '-x'], { cwd })).err).toContain('formulary formula test ./-x\n');
    expect((await run(['formula', 'init', 'new one'], { cwd, platform: 'win32' })).err).toContain(
      'formulary formula test "new one"\n',
    );
  });

  it('reads name and description from flags', async () => {
    const cwd = folderWith();
    await run(['formula', 'init', 'new', '--name', 'Füße "x"', '--description', 'D'], { cwd });
    const manifest = JSON.parse(readFileSync(join(cwd, 'new/manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'Füße "x"', description: 'D' });
  });

  it('fills an empty folder in place, and preserves its mode', async () => {
    const cwd = folderWith();
    mkdirSync(join(cwd, 'new'), { mode: 0o750 });
    const before = statSync(join(cwd, 'new'));
    expect(await run(['formula', 'init', '.', '--name', 'x'], { cwd: join(cwd, 'new') })).toMatchObject({ code: 0 });
    const after = statSync(join(cwd, 'new'));
    expect([after.ino, after.mode]).toEqual([before.ino, before.mode]);
    expect(readdirSync(join(cwd, 'new')).sort()).toEqual(['.gitattributes', 'code.js', 'manifest.json', 'tests']);
  });

  it('fills the empty folder that a link points to', async () => {
    const cwd = folderWith();
    mkdirSync(join(cwd, 'real'));
    symlinkSync('real', join(cwd, 'link'));
    expect(await run(['formula', 'init', 'link'], { cwd })).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'real/manifest.json'))).toBe(true);
  });

  it('accepts a name as long as the file system does', async () => {
    const cwd = folderWith();
    const name = 'n'.repeat(250);
    expect(await run(['formula', 'init', name, '--name', 'x'], { cwd })).toMatchObject({ code: 0 });
    expect(readdirSync(cwd)).toEqual([name]);
  });

  it.each([
    ['a folder that holds anything', { 'old/code.js': 'mine' }, 'code.js'],
    ['a file', { old: 'mine' }, 'a file'],
  ])('rejects %s without a prompt, and does not change it', async (_, files, words) => {
    const cwd = folderWith(files as Record<string, string>);
    const rejected = await run(['formula', 'init', 'old'], { cwd, answers: ['x'] });
    expectExit(rejected, 2, words, '');
    expect(rejected.err).not.toContain('Name');
    expect(readFileSync(join(cwd, Object.keys(files)[0] ?? ''), 'utf8')).toBe('mine');
  });

  it.each(['aux', 'CON', 'nul.txt', 'COM1', 'new/aux', 'aux/new', 'a:b', 'new.'])(
    'rejects a name that Windows cannot have, on every system: %s',
    async (name) => {
      const cwd = folderWith();
      expect(await run(['formula', 'init', name], { cwd })).toMatchObject(
        exitsWith(2, /^error: could not create the folder \S+: .*Windows.*\nhint: Use another name\.\n$/, ''),
      );
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it('does not check the names of existing folders', async () => {
    const cwd = folderWith({ 'aux/.git/HEAD': '' });
    expect(await run(['formula', 'init', 'aux/new'], { cwd })).toMatchObject({ code: 0 });
    expect(await run(['formula', 'validate', 'aux/new'], { cwd })).toMatchObject({ code: 0 });
  });

  it.runIf(process.platform === 'linux')('fails if no folder can be created', async () => {
    expectExit(await run(['formula', 'init', '/proc/formulary-test']), 2, '/proc/formulary-test', '');
  });

  it('prompts on a terminal for missing values, and uses the default for an empty line', async () => {
    const cwd = folderWith();
    const { code, err } = await run(['formula', 'init', 'new'], { cwd, answers: ['Sign it', 'cobol', 'sign', ''] });
    expect(code).toBe(0);
    for (const words of ['Name of the formula [new]', 'call-api: call', 'must be one of js', 'Description [Signs'])
      expect(err).toContain(words);
    expect(JSON.parse(readFileSync(join(cwd, 'new/manifest.json'), 'utf8'))).toMatchObject({
      name: 'Sign it',
      description: 'Signs text with HMAC-SHA256',
    });
  });

  it.each([
    [['--no-input'], 0],
    [['--name', 'N', '--template', 'ts', '--description', 'D'], 0],
    [['--template', 'cobol'], 2],
    [['--name', ''], 2],
  ])('does not prompt with %j', async (flags, ends) => {
    const { code, err } = await run(['formula', 'init', 'new', ...flags], { cwd: folderWith(), answers: [] });
    expect(code).toBe(ends);
    expect(err).not.toContain('[');
  });

  it('writes nothing if the input ends', async () => {
    const cwd = folderWith();
    const { code, err } = await run(['formula', 'init', 'new'], { cwd, answers: ['Sign it'] });
    expect([code, err, readdirSync(cwd)]).toEqual([2, expect.stringContaining('--no-input'), []]);
  });

  it('rejects a name that no service would accept', async () => {
    const cwd = folderWith();
    expectExit(await run(['formula', 'init', 'new', '--name', 'x'.repeat(201)], { cwd }), 2, '201');
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('validate, on a selection', () => {
  it('checks the current folder without a PATH, skips excluded folders, and reads paths from a list', async () => {
    const cwd = folderWith({ ...inFolder('a', cardFiles()), ...inFolder('b', cardFiles({ type: 'Private' })) });
    expect(await run(['formula', 'validate'], { cwd })).toMatchObject({ code: 3 });
    const valid = { code: 0, out: 'a: valid\n', err: '' };
    expect(await run(['formula', 'validate', '--exclude', 'b'], { cwd })).toEqual(valid);
    const listed = ['formula', 'validate', '--paths-from', '-'];
    expect(await run(listed, { cwd, stdin: 'a/code.js\n' })).toEqual(valid);
    expect(await run(listed, { cwd, stdin: '' })).toEqual({ code: 0, out: '', err: 'nothing to do\n' });
    expect(await run(['formula', 'validate', 'README', '--json'], { cwd: folderWith({ README: '' }) })).toEqual({
      code: 0,
      out: expect.stringContaining('"total": 0'),
      err: '',
    });
  });
});
