import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/files/atomic-write.ts';
import { writeNewFolder } from '../../src/files/new-folder.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { machine } from '../helpers/machine.ts';
import { run } from '../helpers/test-host.ts';

const NAME = '.formulary-0123abcd';

/** Makes something look as old as this many minutes. */
function age(path: string, minutes: number): void {
  const at = new Date(Date.now() - minutes * 60_000);
  lutimesSync(path, at, at);
}

/** Leaves a temporary file of a run of two hours ago in a folder. */
function leftIn(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, NAME);
  writeFileSync(path, 'half');
  age(path, 120);
  return path;
}

describe('a temporary file that a killed run left', () => {
  it('is removed by the next write into its folder after an hour', () => {
    for (const [minutes, isThere] of [
      [59, true],
      [61, false],
    ] as const) {
      const folder = folderWith();
      const path = leftIn(folder);
      age(path, minutes);
      writeFileAtomic(join(folder, 'file'), 'whole');
      expect({ minutes, isThere: existsSync(path) }).toEqual({ minutes, isThere });
    }
  });

  it('is distinguished from files with other names', () => {
    const others = [
      ...'formulary-0123abcd .formulary-0123abc .formulary-0123abcde .formulary-0123ABCD'.split(' '),
      ...'.formulary-0123abcd.json .formulary-0123abcx .formulary'.split(' '),
    ];
    const folder = folderWith(Object.fromEntries(others.map((name) => [name, 'mine'])));
    for (const name of others) age(join(folder, name), 120);
    writeFileAtomic(join(folder, 'file'), 'whole');
    expect(readdirSync(folder).sort()).toEqual([...others, 'file'].sort());
  });

  it('is removed if it is a link, and its target is not', () => {
    const mine = folderWith({ 'a/b': 'mine' });
    const folder = folderWith();
    symlinkSync(mine, join(folder, NAME));
    symlinkSync(join(mine, 'a/b'), join(folder, '.formulary-11111111'));
    for (const name of [NAME, '.formulary-11111111']) age(join(folder, name), 120);
    writeFileAtomic(join(folder, 'file'), 'whole');
    expect(readdirSync(folder)).toEqual(['file']);
    expect(existsSync(join(mine, 'a/b'))).toBe(true);
  });

  it.runIf(process.platform !== 'win32')('is removed if it is a pipe', () => {
    const folder = folderWith();
    spawnSync('mkfifo', [join(folder, NAME)]);
    age(join(folder, NAME), 120);
    writeFileAtomic(join(folder, 'file'), 'whole');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it.runIf(process.platform !== 'win32').each([
    [0o755, false],
    [0o775, true],
    [0o1777, true],
  ])('as a folder in one of mode %o, in which others can create it, is not removed: %s', (mode, stays) => {
    const outside = folderWith({ mine: '' });
    const parent = folderWith({ [`${NAME}/code.js`]: '', [`${NAME}/tests/a.json`]: '' });
    symlinkSync(outside, join(parent, NAME, 'link'));
    age(join(parent, NAME), 120);
    chmodSync(parent, mode);
    writeNewFolder(join(parent, 'new'), 'new', { 'manifest.json': '{}' });
    expect(readdirSync(parent).includes(NAME)).toBe(stays);
    expect(readdirSync(outside)).toEqual(['mine']);
  });
});

describe('the next run', () => {
  it('removes it from the state folder, the project, and the folders that it writes', async () => {
    const formulary = machine({ cwd: folderWith(inFolder('card', cardFiles())) });
    const state = join(formulary.env['XDG_STATE_HOME'] ?? '', 'formulary');
    const pulled = join(formulary.cwd, 'pulled');
    const named = { cwd: formulary.cwd, env: { ...formulary.env, FORMULARY_TARGET: 'staging' } };
    const left = [join(state, 'baselines'), formulary.cwd, pulled, join(formulary.cwd, 'card')].map(leftIn);
    expect(await formulary('push card', named)).toMatchObject({ code: 0 });
    expect(await formulary('pull --dir pulled', { ...named, env: formulary.env })).toMatchObject({ code: 0 });
    expect(await formulary('types card')).toMatchObject({ code: 0 });
    expect(left.filter((path) => lstatSync(path, { throwIfNoEntry: false }))).toEqual([]);
  });

  it('removes it from the folders of keys and saved versions', async () => {
    const [config, state] = [folderWith(), folderWith()];
    const left = [join(config, 'formulary/profiles'), join(state, 'formulary/history')].map(leftIn);
    const env = { XDG_CONFIG_HOME: config, XDG_STATE_HOME: state };
    const words = 'auth login --base-url https://api.example.test --no-check'.split(' ');
    expect(await run(words, { env, stdin: 'key_of-the-test' })).toMatchObject({ code: 0 });
    const formulary = machine();
    const local = { ...formulary.env, ...env };
    await run(['formula', 'create', folderWith(cardFiles())], { env: local });
    expect(await run(['formula', 'delete', 'Tokenize a card', '--yes'], { env: local })).toMatchObject({ code: 0 });
    expect(left.filter((path) => existsSync(path))).toEqual([]);
  });
});
