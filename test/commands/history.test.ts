import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD_BODY, CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { type Machine, machine } from '../helpers/machine.ts';
import { expectExit, run } from '../helpers/test-host.ts';

const ID = '0b6e0f8e-8f0c-4f5e-9a52-3b1f7e6f2d11';
const KEY = 'key-Full_0123456789';
const CHANGED_CODE = `${CARD_CODE}// changed\n`;

async function created(formulary: Machine): Promise<string> {
  const { out } = await formulary(['create', folderWith(cardFiles()), '--json']);
  return JSON.parse(out).id;
}

const updateCode = (formulary: Machine, ...flags: string[]) =>
  formulary(['update', 'Tokenize a card', folderWith(cardFiles({}, { 'code.js': CHANGED_CODE })), ...flags]);

const rows = async (formulary: Machine) => JSON.parse((await formulary(['history', '--json'])).out);

/** A formula that was created and updated once, and its saved version. */
async function updated() {
  const formulary = machine();
  const id = await created(formulary);
  await updateCode(formulary);
  const [row] = await rows(formulary);
  return { formulary, id, row };
}

describe('the history of a formula', () => {
  it('has a version from before each update, which restore restores', async () => {
    const { formulary, id, row } = await updated();
    expect(row).toMatchObject({ operation: 'update', id, name: 'Tokenize a card' });
    expect(row.target).toBe(`local:${formulary.env['FORMULARY_LOCAL_DATA']}`);

    const restored = await formulary(['restore', row.entry, '--yes', '--json']);
    expect(restored.code).toBe(0);
    expect(JSON.parse(restored.out)).toMatchObject({ id, code: CARD_CODE });
    expect((await formulary(['get', id, '--code'])).out).toBe(CARD_CODE);
    // What was replaced by the restore can be had back too.
    expect(await rows(formulary)).toHaveLength(2);
  });

  it('has a version from before a delete; restore creates the formula again and reports the new id', async () => {
    const formulary = machine();
    const id = await created(formulary);
    await formulary(['delete', id, '--yes']);
    const [row] = await rows(formulary);
    expect(row).toMatchObject({ operation: 'delete', id });
    const restored = await formulary(`restore ${row.entry} --yes`);
    expect(restored.code).toBe(0);
    expect(restored.err).toMatch(new RegExp(`${id} no longer exists; restored as a new formula: [0-9a-f-]{36}`));
    expectExit(await formulary(`restore ${row.entry} --yes`), 0, 'using the formula of the same name');
  });

  it('restores into a formula that was created again, and not into one of several', async () => {
    const formulary = machine();
    const id = await created(formulary);
    const deleted = await formulary(['delete', id, '--yes']);
    const command = /run: formulary formula (restore [0-9a-f]{10})\n/.exec(deleted.err)?.[1] ?? '';
    const folder = folderWith(cardFiles({}, { 'code.js': CHANGED_CODE }));
    const recreated = JSON.parse((await formulary(['create', folder, '--json'])).out).id;
    const asked = await formulary(command, { answers: ['y'] });
    expect(asked.code).toBe(0);
    expect(asked.err).toContain(`into the formula of this name, ${recreated} (changes code)? [y/N]`);
    expect((await formulary(['get', recreated, '--code'])).out).toBe(CARD_CODE);
    await formulary(['create', folder, '--allow-duplicate']);
    expect(await formulary(`${command} --yes`)).toMatchObject({ code: 6, out: '' });
  });

  it('is not written to by a delete that the service rejects', async () => {
    const { url } = await loopback(({ method }, response) => {
      if (method === 'DELETE') json(response, 409, {});
      else json(response, 200, { id: ID, ...CARD_BODY });
    });
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: 'k', XDG_STATE_HOME: folderWith() };
    expect((await run(['formula', 'delete', ID, '--yes'], { env })).code).toBe(6);
    expect((await run(['formula', 'history', '--json'], { env })).out).toBe('[]\n');
  });

  it('shows one line for each version on 80 columns, with profile and run', async () => {
    const { formulary, row } = await updated();
    const { out } = await formulary(['history'], { columns: 80 });
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^ENTRY +AT +BEFORE +NAME +PROFILE +RUN$/),
      expect.stringMatching(new RegExp(`^[0-9a-f]{8,10} +just now +update +Tokenize a card .*${row.run.slice(0, 8)}`)),
      '',
    ]);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('lists the versions of the base URL in use, and with --all those of all', async () => {
    const { formulary } = await updated();
    const elsewhere = { ...formulary.env, FORMULARY_PROFILE: '', FORMULARY_BASE_URL: 'http://127.0.0.1:1' };
    const other = await formulary('history', { env: elsewhere });
    expectExit(other, 0, 'note: 1 version of other base URLs not listed', '');
    expect((await formulary(['history', 'Tokenize a card'], { env: elsewhere })).err).toContain('--all');
    expect((await formulary('history --all', { env: elsewhere })).out).toContain('\tlocal:');
    const without = { ...formulary.env, FORMULARY_PROFILE: '' };
    expect((await formulary('history', { env: without })).out).toContain('Tokenize a card');
  });

  it('shows one version as a diff to the service, and how to restore it', async () => {
    const { formulary, id, row } = await updated();
    const shown = await formulary(['history', '--show', row.entry.slice(0, 4)]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('\n-// changed\n') });
    expect(shown.err).toBe(`To restore it, run: formulary formula restore ${row.entry}\n`);
    expect(JSON.parse((await formulary(['history', '--show', row.entry, '--json'])).out)).toEqual({
      ...row,
      remote: 'present',
      changes: [{ field: 'code', saved: CARD_CODE, remote: CHANGED_CODE }],
    });
    await formulary(['delete', id, '--yes', '--no-history']);
    const gone = JSON.parse((await formulary(['history', '--show', row.entry, '--json'])).out);
    expect(gone).toMatchObject({ remote: 'gone' });
    expect(gone.changes).toContainEqual({ field: 'code', saved: CARD_CODE, remote: null });
  });

  it('has no version of an update without changes, or with --no-history', async () => {
    const formulary = machine();
    const id = await created(formulary);
    await formulary(['update', id, folderWith(cardFiles())]);
    await updateCode(formulary, '--no-history');
    await formulary(['delete', id, '--yes', '--no-history']);
    expect(await rows(formulary)).toEqual([]);
  });

  it('reports that there is nothing to do if the service has the saved version', async () => {
    const { formulary, row } = await updated();
    await formulary(`restore ${row.entry} --yes`);
    const err = 'Service: the embedded service\nNo changes: the formula is up to date.\n';
    expect(await formulary(`restore ${row.entry} --yes`)).toMatchObject({ code: 0, err });
  });

  it('is restored by the name of the formula, and by a unique prefix of an entry', async () => {
    const { formulary, row } = await updated();
    expect((await formulary(['restore', 'Tokenize a card', '--yes'])).err).toContain('Restored formula');
    expect((await formulary(['restore', row.entry.slice(0, 3), '--yes'])).code).toBe(5);
    expect((await formulary(['restore', row.entry.slice(0, 4), '--yes'])).code).toBe(0);
  });

  it('is ambiguous for an argument that is both an entry and a name', async () => {
    const { formulary, row } = await updated();
    const prefix = row.entry.slice(0, 5);
    const folder = folderWith(cardFiles({ name: prefix }));
    await formulary(['create', folder]);
    await formulary(['delete', prefix, '--yes']);
    expectExit(await formulary(['restore', prefix, '--yes']), 6, row.entry);
  });

  it('is restored with the linked folder reported, and the commands for it', async () => {
    const formulary = machine();
    const cwd = folderWith(inFolder('card', cardFiles()));
    const id = JSON.parse((await formulary(['create', 'card', '--link', '--json'], { cwd })).out).id;
    await formulary(['update', id, folderWith(cardFiles({}, { 'code.js': CHANGED_CODE }))], { cwd });
    const { err } = await formulary(['restore', 'Tokenize a card', '--yes'], { cwd });
    expect(err).toContain('The folder card is linked to this formula.');
    expect(err).toContain(`formulary formula pull ${id} --force\n`);
    expect(err).toContain('formulary formula push card --force\n');
  });

  it('is filtered by id or name', async () => {
    const { formulary, id } = await updated();
    for (const word of [id, id.toUpperCase(), 'Tokenize a card']) {
      expect(JSON.parse((await formulary(['history', word, '--json'])).out), word).toHaveLength(1);
    }
    expect((await formulary(['history', 'tokenize a card'])).code).toBe(5);
  });

  it('prompts before it restores, and requires --yes without a terminal', async () => {
    const { formulary, row } = await updated();
    expectExit(await formulary(['restore', row.entry]), 2, '--yes', '');
    expect((await formulary(['restore', row.entry], { answers: ['n'] })).code).toBe(2);
    expect((await formulary(['restore', row.entry], { answers: ['y'] })).code).toBe(0);
  });

  it('is restored into the same service under another target name, and rejected for another service', async () => {
    const { formulary, row } = await updated();
    const words = ['formula', 'restore', row.entry, '--yes', '--base-url', 'http://127.0.0.1:1'];
    const env = { ...formulary.env, FORMULARY_API_KEY: 'key_0123456789abcdef' };
    expectExit(await run(words, { env }), 2, 'the current service is http://127.0.0.1:1');
    expect((await formulary(['restore', row.entry, '--yes', '--target', 'staging'])).code).toBe(0);
  });

  it.each([
    ['is not sent', { code: `${CARD_CODE}// ${KEY}\n` }, [3, 'code contained a secret']],
    ['is restored if that field is not sent', { code: CHANGED_CODE, created_by: KEY }, [0, 'Restored formula']],
  ] as const)('with a redacted key %s', async (_, fields, [code, message]) => {
    let formula: object = { id: ID, ...CARD_MANIFEST, ...fields };
    const { url, requests } = await loopback(({ method, body }, response) => {
      if (method === 'PUT') formula = { ...formula, ...JSON.parse(body) };
      json(response, 200, formula);
    });
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: KEY, XDG_STATE_HOME: folderWith() };
    expect((await run(['formula', 'update', ID, folderWith(cardFiles())], { env })).code).toBe(0);
    const [row] = JSON.parse((await run(['formula', 'history', '--json'], { env })).out);
    expect(Object.keys(row)).toEqual(['entry', 'run', 'at', 'operation', 'profile', 'target', 'id', 'name']);
    const count = requests.length;
    const restored = await run(['formula', 'restore', row.entry, '--yes'], { env });
    expectExit(restored, code, message);
    expect(restored.err).not.toContain(KEY);
    expect(requests.length > count).toBe(code === 0);
    expect(formula).toMatchObject({ code: code === 0 ? CHANGED_CODE : CARD_CODE });
  });

  it('reports a missing entry, in any format', async () => {
    const formulary = machine();
    for (const word of ['nothing', '../../etc/passwd']) {
      expect((await formulary(['restore', word, '--yes'])).code, word).toBe(5);
    }
    expect((await formulary(['restore', '', '--yes'])).code).toBe(2);
  });

  it('stops an update and a delete if the version cannot be saved', async () => {
    const formulary = machine();
    const id = await created(formulary);
    const broken = machine({ more: { ...formulary.env, XDG_STATE_HOME: '/dev/null' } });
    const update = await updateCode(broken);
    expect(update.code).toBe(2);
    expect(update.err).toContain('--no-history');
    expect((await broken(['delete', id, '--yes'])).code).toBe(2);
    expect((await formulary(['get', id, '--code'])).out).toBe(CARD_CODE);
    expect((await updateCode(broken, '--no-history')).code).toBe(0);
  });
});

describe('two writing commands at once', () => {
  it('create one formula: the second waits for the first, checks, and fails', async () => {
    const formulary = machine();
    const folder = folderWith(cardFiles());
    const tool = join(import.meta.dirname, '../../bin/formulary.js');
    const env = { PATH: process.env['PATH'] ?? '', ...formulary.env };
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => {
        const child = spawn(process.execPath, [tool, 'formula', 'create', folder], { env, stdio: 'ignore' });
        return new Promise((done) => child.once('close', done));
      }),
    );
    expect(codes.sort()).toEqual([0, 6, 6, 6]);
    expect(JSON.parse((await formulary(['list', '--json'])).out)).toHaveLength(1);
  });
});
