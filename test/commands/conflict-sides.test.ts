/** diff shows three sides of a conflict where the version that a folder last had in common with the service is known. */
import { chmodSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, inFolder, PIXEL } from '../helpers/folders.ts';
import { commit as commitAll, GIT_PATH, git } from '../helpers/git.ts';
import { machine } from '../helpers/machine.ts';

const LINES = Array.from({ length: 20 }, (_, i) => `// line ${i}\n`).join('');
const codeWith = (first: string, last = '') => `// ${first}\n${LINES}${CARD_CODE}${last === '' ? '' : `// ${last}\n`}`;
const manifestWith = (change: object) => JSON.stringify({ ...CARD_MANIFEST, name: 'Card', ...change });

/** A published formula in `card`, which is changed on the service when `conflict` is called. */
async function published(files: Record<string, string | Buffer> = {}) {
  const all = cardFiles({ name: 'Card' }, { 'code.js': codeWith('first'), ...files });
  const cwd = folderWith(inFolder('card', all));
  const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test', PATH: GIT_PATH } });
  expect((await formulary('push card')).code).toBe(0);
  const [{ id }] = JSON.parse((await formulary('list --json')).out);
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'card', name), text);
  /** On another computer. */
  const changeRemote = async (manifest: object, code: string, icon?: Buffer) => {
    const other = machine({ data: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' });
    const theirs = cardFiles({ name: 'Card', ...manifest }, { 'code.js': code, ...(icon && { 'icon.png': icon }) });
    expect((await other(`update ${id} ${folderWith(theirs)}`)).code).toBe(0);
  };
  return { formulary, cwd, id: id as string, write, changeRemote };
}

const commit = (cwd: string) => {
  if (!existsSync(join(cwd, '.git'))) git(cwd, 'init', '-q');
  commitAll(cwd, 'x');
};

/** The lines of the table about the fields. */
const fieldsIn = (out: string) =>
  out
    .split('\n')
    .filter((line) => /^ {4}([-+@]|\w+: )/.test(line))
    .map((line) => line.slice(4));

const THREE_SIDES = [
  'description: was "Tokenizes a card", remote "theirs", local "Tokenizes a card"',
  '--- was: code',
  '+++ remote: code',
  expect.stringMatching(/^@@/),
  '-// first',
  '+// theirs',
  '--- was: code',
  '+++ local: code',
  expect.stringMatching(/^@@/),
  '+// mine',
];

describe('a conflict', () => {
  it('shows what the folder was in the last commit', async () => {
    const { formulary, cwd, write, changeRemote } = await published();
    commit(cwd);
    await changeRemote({ description: 'theirs' }, codeWith('theirs'));
    write('code.js', codeWith('first', 'mine'));
    for (const words of ['diff card', 'push card --dry-run']) {
      expect(fieldsIn((await formulary(words)).out)).toEqual(THREE_SIDES);
    }
  });

  it('shows what the folder was some commits ago', async () => {
    const { formulary, cwd, write, changeRemote } = await published();
    for (const text of ['first', 'second', 'third']) {
      write('code.js', codeWith(text));
      if (text === 'first') expect((await formulary('push card')).code).toBe(0);
      commit(cwd);
    }
    await changeRemote({ description: 'theirs' }, codeWith('theirs'));
    write('code.js', codeWith('first', 'mine'));
    commit(cwd);
    expect(fieldsIn((await formulary('diff card')).out)).toEqual(THREE_SIDES);
  });

  it('shows what a saved version was, without git', async () => {
    const { formulary, cwd, write, changeRemote } = await published();
    const env = { ...formulary.env, PATH: folderWith() };
    // Another clone on this computer pushed over it.
    const clone = folderWith({
      'card/manifest.json': manifestWith({ description: 'theirs' }),
      'card/code.js': codeWith('theirs'),
    });
    expect((await formulary('push card', { cwd: clone, env })).code).toBe(0);
    write('code.js', codeWith('first', 'mine'));
    expect(fieldsIn((await formulary('diff card', { cwd, env })).out)).toEqual(THREE_SIDES);
    await changeRemote({ description: 'later' }, codeWith('later'));
    expect((await formulary('diff card', { cwd, env })).out).toContain('was "Tokenizes a card", remote "later"');
  });

  it('shows the bundle of the last commit', async () => {
    const source = (text: string) =>
      `const text: string = '${text}';\nexport default async () => ({ raw: { text } });\n`;
    const manifest = manifestWith({});
    const cwd = folderWith({ 'card/manifest.json': manifest, 'card/code.ts': source('first') });
    const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test', PATH: GIT_PATH } });
    expect((await formulary('push card')).code).toBe(0);
    commit(cwd);
    const [{ id }] = JSON.parse((await formulary('list --json')).out);
    const other = machine({ data: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' });
    const theirs = folderWith({ 'manifest.json': manifest, 'code.js': codeWith('theirs') });
    expect((await other(`update ${id} ${theirs}`)).code).toBe(0);
    writeFileSync(join(cwd, 'card/code.ts'), source('mine'));
    const fields = fieldsIn((await formulary('diff card')).out);
    expect(fields.filter((line) => /^(---|\+\+\+|[-+].*["'](first|mine)["'])/.test(line))).toEqual([
      '--- was: code',
      '+++ remote: code',
      expect.stringContaining('first'),
      '--- was: code',
      '+++ local: code',
      expect.stringContaining('first'),
      expect.stringContaining('mine'),
    ]);
  });

  it('shows that a folder without changes of its own is as it was', async () => {
    const { formulary, changeRemote } = await published();
    await changeRemote({ description: 'theirs' }, codeWith('theirs'));
    expect(fieldsIn((await formulary('diff card')).out)).toEqual(THREE_SIDES.slice(0, 6));
  });

  it('shows lists and icons that differ', async () => {
    const { formulary, cwd, write, changeRemote } = await published({ 'icon.png': PIXEL });
    commit(cwd);
    const icon = Buffer.concat([PIXEL, Buffer.from('x')]);
    const parameter = { name: 'theirs', type: 'string' };
    const request_parameters = [...CARD_MANIFEST.request_parameters, parameter];
    await changeRemote({ request_parameters }, codeWith('first'), icon);
    write('manifest.json', manifestWith({ request_parameters: [], description: 'mine' }));
    const fields = fieldsIn((await formulary('diff card')).out);
    expect(fields).toEqual([
      'description: was "Tokenizes a card", remote "Tokenizes a card", local "mine"',
      expect.stringMatching(
        /^icon: was "image\/png, (\d+) bytes, .*", remote "image\/png, .*", local "image\/png, \1 bytes, .*"$/,
      ),
      '--- was: request_parameters',
      '+++ remote: request_parameters',
      expect.stringMatching(/^@@/),
      '+{"name":"theirs","type":"string"}',
      '--- was: request_parameters',
      '+++ local: request_parameters',
      expect.stringMatching(/^@@/),
      ...CARD_MANIFEST.request_parameters.map((one) => `-${JSON.stringify(one)}`),
    ]);
  });

  it('shows two sides where no version is known', async () => {
    const { formulary, cwd, write, changeRemote } = await published();
    write('code.js', codeWith('second'));
    commit(cwd);
    await changeRemote({}, codeWith('theirs'));
    const { out } = await formulary('diff card');
    expect(out).toContain(
      '\n    the version of that push or pull is neither in the history nor in the last 20 commits\n',
    );
    expect(fieldsIn(out).slice(0, 2)).toEqual(['--- remote: code', '+++ local: code']);
  });

  it('has two sides in JSON', async () => {
    const { formulary, cwd, changeRemote } = await published();
    commit(cwd);
    await changeRemote({ description: 'theirs' }, codeWith('first'));
    const { out } = await formulary('diff card --json');
    expect(JSON.parse(out).items).toMatchObject([{ action: 'conflict', changes: [{ field: 'description' }] }]);
    expect(Object.keys(JSON.parse(out).items[0].changes[0])).toEqual(['field', 'local', 'remote']);
  });

  it('escapes what could drive a terminal on every side', async () => {
    const { formulary, cwd, changeRemote, write } = await published({ 'code.js': codeWith('first \u001b[31m') });
    commit(cwd);
    await changeRemote({ description: 'their \u202e' }, codeWith('theirs \u001b[32m'));
    write('code.js', codeWith('mine \u001b[33m'));
    const { out } = await formulary('diff card');
    expect(out).toMatch(/first .*31m.*theirs .*32m.*first .*31m.*mine .*33m/s);
    for (const character of ['\u001b', '\u202e']) expect(out).not.toContain(character);
  });
});

it('without a conflict neither git nor the history is read', async () => {
  const { formulary, cwd, write } = await published();
  write('code.js', codeWith('second'));
  expect((await formulary('push card')).code).toBe(0);
  write('code.js', codeWith('third'));
  commit(cwd);
  const bin = folderWith({ git: '#!/bin/sh\n: > "$0.ran"\n' });
  chmodSync(join(bin, 'git'), 0o755);
  const state = join(formulary.env['XDG_STATE_HOME'] ?? '', 'formulary');
  const history = join(state, 'history');
  expect(readdirSync(history)).toHaveLength(1);
  renameSync(history, `${history}.kept`);
  writeFileSync(history, 'not a folder');
  const { code, out, err } = await formulary('diff card', { cwd, env: { ...formulary.env, PATH: bin } });
  expect([code, out, err]).toEqual([
    10,
    expect.stringContaining('+++ folder: code'),
    expect.not.stringContaining('warning'),
  ]);
  expect(existsSync(join(bin, 'git.ran'))).toBe(false);
});
