/** Baselines belong to folders: two clones on one computer, copies, pull --dir, killed pushes, old state files. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashContent } from '../../src/formula-fields.ts';
import { shortHash } from '../../src/state/xdg-paths.ts';
import { CARD_BODY, cardFiles, editCode, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { changedElsewhere, machine } from '../helpers/machine.ts';
import { expectExit, run } from '../helpers/test-host.ts';

const codeIn = (folder: string) => readFileSync(join(folder, 'code.js'), 'utf8');

/** A clone with one published formula in `card`; commands run in it, for a target with a lock file. */
async function clone() {
  const cwd = folderWith(inFolder('card', cardFiles({ name: 'Card' })));
  const formulary = machine({ cwd, more: { FORMULARY_TARGET: 'test' } });
  expect((await formulary('push card')).code).toBe(0);
  const [{ id }] = JSON.parse((await formulary('list --json')).out);
  const remoteCode = async () => (await formulary(`get ${id} --code`)).out;
  return { formulary, cwd, id: id as string, card: join(cwd, 'card'), remoteCode };
}

/** Another folder with the same files and lock file. */
function copyOf(cwd: string): string {
  const copy = folderWith();
  cpSync(cwd, copy, { recursive: true });
  return copy;
}

describe('two clones on one computer', () => {
  it('conflict in the clone without the version that the other one pulled', async () => {
    const { formulary, cwd, id, remoteCode, card } = await clone();
    const other = copyOf(cwd);
    await changedElsewhere(formulary, id, { name: 'Card' });
    expect((await formulary('pull --force', { cwd: other, env: formulary.env })).code).toBe(0);
    expect(codeIn(join(other, 'card'))).toContain('// theirs');
    editCode(card, 'mine');
    expect((await formulary('push card')).code).toBe(6);
    expect(await remoteCode()).toContain('// theirs');
  });

  it('still conflict after pull --dir, which does not link its copy', async () => {
    const { formulary, cwd, id, card } = await clone();
    await changedElsewhere(formulary, id, { name: 'Card' });
    const lock = readFileSync(join(cwd, 'formulas.lock.json'), 'utf8');
    expectExit(await formulary(`pull ${id} --dir theirs`), 0, 'do not push it');
    expect(readFileSync(join(cwd, 'formulas.lock.json'), 'utf8')).toBe(lock);
    expect(existsSync(join(cwd, 'theirs/formulas.lock.json'))).toBe(false);
    editCode(card, 'mine');
    expect((await formulary('push card')).code).toBe(6);
  });

  it('do not link a copy if another folder of the repository has the formula', async () => {
    const { formulary, cwd, id } = await clone();
    for (const folder of ['repository/formulas', 'repository/.git']) mkdirSync(join(cwd, folder), { recursive: true });
    for (const name of ['card', 'formulas.lock.json'])
      renameSync(join(cwd, name), join(cwd, 'repository/formulas', name));
    expectExit(await formulary(`pull ${id} --dir repository/theirs`), 0, 'do not push it');
    expect(existsSync(join(cwd, 'repository/theirs/formulas.lock.json'))).toBe(false);
    const inside = { cwd: join(cwd, 'repository/theirs') };
    expectExit(await formulary(`pull ${id}`, inside), 0, 'do not push it');
    expect(existsSync(join(cwd, 'repository/theirs/formulas.lock.json'))).toBe(false);
  });

  it.each(['copied', 'moved'])('have no baseline in a folder that was %s', async (how) => {
    const { formulary, cwd, id } = await clone();
    const copy = copyOf(cwd);
    if (how === 'moved') rmSync(cwd, { recursive: true });
    await changedElsewhere(formulary, id, { name: 'Card' });
    editCode(join(copy, 'card'), 'mine');
    const { code, out } = await formulary('diff card --json', { cwd: copy, env: formulary.env });
    expect([code, JSON.parse(out).items]).toMatchObject([10, [{ action: 'update', overwrites: true }]]);
  });
});

describe('a command other than push, update, create, or pull of a folder', () => {
  it.each(['link card ID', 'diff card', 'push card --dry-run'])('%s does not change its baseline', async (words) => {
    const { formulary, id, card } = await clone();
    await changedElsewhere(formulary, id, { name: 'Card' });
    editCode(card, 'mine');
    await formulary(words.replace('ID', id));
    expect((await formulary('push card')).code).toBe(6);
  });
});

describe('a push that was killed after its request', () => {
  it('is not a conflict at the next edit', async () => {
    const { formulary, id, card, remoteCode } = await clone();
    const file = join(formulary.env['XDG_STATE_HOME'] ?? '', `formulary/baselines/${shortHash('test')}.json`);
    editCode(card, 'theirs');
    const before = JSON.parse(readFileSync(file, 'utf8'));
    expect((await formulary('push card')).code).toBe(0);
    // The file as it is between the record and the response.
    const { hash } = JSON.parse(readFileSync(file, 'utf8')).baselines[0];
    before.baselines[0].pending = hash;
    writeFileSync(file, JSON.stringify(before));
    editCode(card, 'next');
    expect(await formulary('push card --json')).toMatchObject({ code: 0 });
    expect([id.length > 0, await remoteCode()]).toEqual([true, expect.stringContaining('// next')]);
  });
});

it.each(['push card', 'create card --link'])(
  'a create that was killed by %s is not marked at the next edit',
  async (words) => {
    const { formulary, cwd, id, card } = await clone();
    const { XDG_STATE_HOME: state = '' } = formulary.env;
    const file = join(state, `formulary/baselines/${shortHash('test')}.json`);
    expect((await formulary(`delete ${id} --yes`)).code).toBe(0);
    rmSync(file);
    const service = await loopback((request, response) => {
      if (request.method === 'POST') return json(response, 400, { title: 'No' });
      json(response, 200, { pagination: { total_items: 0, total_pages: 1 }, data: [] });
    });
    const env = { ...formulary.env, ...service.env, FORMULARY_PROFILE: '' };
    expect((await formulary(words, { cwd, env: { ...env, XDG_STATE_HOME: state } })).code).toBe(1);
    // The state as it is between the record and the response, and a formula that the service created.
    const before = readFileSync(file, 'utf8');
    expect((await formulary('push card')).code).toBe(0);
    writeFileSync(file, before);
    editCode(card, 'next');
    expect(await formulary('diff card --json')).toMatchObject({
      code: 10,
      err: '',
      out: expect.not.stringContaining('overwrites'),
    });
    expect((await formulary('push card')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toMatch(/pending|"id":""/);
  },
);

it('an update is recorded before it is sent, by push and by update', async () => {
  const pending: unknown[] = [];
  const id = '00000000-0000-4000-8000-000000000001';
  let remote: Record<string, unknown> = { ...CARD_BODY, name: 'Card', id };
  const service = await loopback((request, response) => {
    if (request.method === 'GET') {
      const isList = !request.url.includes(id);
      const list = { pagination: { total_items: 1, total_pages: 1 }, data: [remote] };
      return json(response, 200, isList ? list : remote);
    }
    const file = join(service.env['XDG_STATE_HOME'] ?? '', `formulary/baselines/${shortHash('test')}.json`);
    pending.push(JSON.parse(readFileSync(file, 'utf8')).baselines[0].pending === hashContent(JSON.parse(request.body)));
    remote = { ...JSON.parse(request.body), id };
    json(response, 200, remote);
  });
  const env = { ...service.env, FORMULARY_TARGET: 'test' };
  const cwd = folderWith(cardFiles({ name: 'Card' }));
  for (const command of ['push', 'update']) {
    editCode(cwd, command);
    expect(await run(['formula', command, '.'], { cwd, env })).toMatchObject({ code: 0 });
  }
  expect(pending).toEqual([true, true]);
});

describe('a push from a computer without a baseline', () => {
  /** A fresh runner, after somebody changed the formula on the service by hand. */
  async function runner(more: Record<string, string> = {}) {
    const { formulary, cwd, id, card } = await clone();
    await changedElsewhere(formulary, id, { name: 'Card' });
    editCode(card, 'mine');
    const data = formulary.env['FORMULARY_LOCAL_DATA'] ?? '';
    return machine({ cwd, data, more: { FORMULARY_TARGET: 'test', ...more } });
  }
  const WARNING = 'warning: 1 folder overwrites a remote version that may contain changes by others: card';

  it('shows in table, summary, and one warning that it overwrites', async () => {
    const fresh = await runner();
    const { code, out, err } = await fresh('push card');
    expect([code, out.trim().split('\t').at(-1)]).toEqual([0, 'overwrites']);
    expect(err.match(/^warning: .*$/gm)).toEqual([WARNING]);
    expect(err).toContain('1 updated, 1 overwriting on ');
    expect(await fresh('push card')).toMatchObject({ code: 0, err: expect.not.stringContaining('warning') });
  });

  it.each(['diff card --json', 'push card --dry-run --json', 'push card --json'])('%s marks it', async (words) => {
    const { out, err } = await (await runner())(words);
    expect(JSON.parse(out).items).toMatchObject([{ overwrites: true }]);
    expect(err).toContain(WARNING);
  });

  it('annotates the manifest in GitHub Actions', async () => {
    const { err } = await (await runner({ GITHUB_ACTIONS: 'true' }))('push card');
    expect(err).toContain(
      '::warning file=card/manifest.json,line=1,col=1,title=overwrites::overwrites a remote version',
    );
  });
});
