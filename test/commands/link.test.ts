import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, editCode, folderWith, writeFiles } from '../helpers/folders.ts';
import { changedElsewhere, created, type Machine, machine } from '../helpers/machine.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

/** A computer whose working folder contains formula folders of these names, and a lock file with the entries of `lock`. */
function project(names: Record<string, string>, { lock = true } = {}): Machine {
  const cwd = folderWith({ '.git/HEAD': '', ...(lock && { 'formulas.lock.json': '{"version":1,"targets":{}}' }) });
  for (const [folder, name] of Object.entries(names)) writeFiles(join(cwd, folder), cardFiles({ name }));
  return machine({ cwd, more: { FORMULARY_TARGET: 'staging' } });
}

const lockOf = ({ cwd }: Machine): Record<string, { id: string }> =>
  JSON.parse(readFileSync(join(cwd, 'formulas.lock.json'), 'utf8')).targets.staging ?? {};

const edit = ({ cwd }: Machine, folder: string) => editCode(join(cwd, folder), 'mine');

const UNKNOWN = '01234567-89ab-4cde-8f01-23456789abcd';

describe('update of a linked folder', () => {
  it('never gives its formula the name of another one', async () => {
    const formulary = project({ one: 'One', two: 'Two' });
    await formulary('push .');
    writeFileSync(join(formulary.cwd, 'two/manifest.json'), cardFiles({ name: 'One' })['manifest.json'] ?? '');
    expectExit(await formulary('update two'), 6, 'a private formula named "One" already exists');
    writeFileSync(join(formulary.cwd, 'two/manifest.json'), cardFiles({ name: 'Three' })['manifest.json'] ?? '');
    expect(await formulary('update two')).toMatchObject({ code: 0 });
  });
});

describe('link', () => {
  it('records the formula of a folder in a new lock file, and unlink removes it', async () => {
    const formulary = project({ card: 'Mine' }, { lock: false });
    const [id = ''] = await created(formulary, 'Theirs');
    const { code, out } = await formulary(`link card ${id.toUpperCase()} --json`);
    expect([code, JSON.parse(out)]).toEqual([0, { folder: 'card', id, name: 'Theirs', target: 'staging' }]);
    expect(lockOf(formulary)).toEqual({ card: { id } });
    const err = `Unlinked card from formula ${id}\n`;
    expect(await formulary('unlink card')).toEqual({ code: 0, out: 'card\t\tstaging\n', err });
    expect(lockOf(formulary)).toEqual({});
    expectExit(await formulary('unlink card'), 0, 'not linked');
    const shown = await run(['formula', 'unlink', 'card'], { cwd: formulary.cwd, env: formulary.env, columns: 80 });
    expect(shown.out).toMatch(/^FOLDER +ID +TARGET\n/);
  });

  it('is found by the name of the formula', async () => {
    const formulary = project({ card: 'Card' });
    const [id = ''] = await created(formulary, 'One');
    expect(await formulary('link card One')).toMatchObject({ code: 0 });
    expect(lockOf(formulary)).toEqual({ card: { id } });
  });

  it('is replaced by another, which is reported', async () => {
    const formulary = project({ card: 'Card' });
    const [one = '', two = ''] = await created(formulary, 'One', 'Two');
    await formulary(`link card ${one}`);
    const err = `note: previously linked to ${one}\nLinked card to formula "Two" (${two})\n`;
    expect(await formulary(`link card ${two}`)).toMatchObject({ code: 0, err });
    expect(lockOf(formulary)).toEqual({ card: { id: two } });
  });

  it.each([
    ['an id that is not there', `card ${UNKNOWN}`, 5, '404'],
    ['a name that no formula has', 'card Nothing', 5, 'no formula is named'],
    ['a folder that is none', `nowhere ${UNKNOWN}`, 2, 'nowhere'],
    ['a folder of several', `. ${UNKNOWN}`, 3, 'To publish all of them, run: formulary formula push .'],
    ['a folder without a manifest', `empty ${UNKNOWN}`, 3, 'no manifest.json'],
  ])('rejects %s', async (_, words, code, message) => {
    const formulary = project({ card: 'Card' });
    mkdirSync(join(formulary.cwd, 'empty'));
    expect(await formulary(`link ${words}`)).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
    expect(lockOf(formulary)).toEqual({});
  });

  it('rejects a formula that is linked to another existing folder', async () => {
    const formulary = project({ one: 'One', two: 'Two' });
    const [id = ''] = await created(formulary, 'Card');
    await formulary(`link one ${id}`);
    expect(await formulary(`link two ${id}`)).toMatchObject(
      exitsWith(6, `linked to another folder: one\nhint: To move the link, first run: formulary formula unlink one`),
    );
    rmSync(join(formulary.cwd, 'one'), { recursive: true });
    expect(await formulary(`link two ${id}`)).toMatchObject({ code: 0 });
  });

  it('finds the linked folder in a lock file elsewhere in the repository, as update does', async () => {
    const formulary = project({ 'f/one': 'Card', 'g/two': 'Card', 'g/three': 'Free' }, { lock: false });
    const [id = ''] = await created(formulary, 'Card');
    await formulary('push f');
    await formulary('push g/three');
    expectExit(await formulary(`link g/two ${id}`), 6, 'linked to another folder: f/one');
    expect(await formulary(`update ${id} g/two`)).toMatchObject({ code: 0 });
    expect(readFileSync(join(formulary.cwd, 'g/formulas.lock.json'), 'utf8')).not.toContain(id);
    expect(await formulary('diff f')).toMatchObject({ code: 0 });
  });

  it('is not recorded by update where the folder has no lock file', async () => {
    const formulary = project({ 'f/one': 'Card', 'g/two': 'Card' }, { lock: false });
    await formulary('push f');
    expect(await formulary('update g/two')).toMatchObject({ code: 0 });
    expect(existsSync(join(formulary.cwd, 'g/formulas.lock.json'))).toBe(false);
  });

  it('rejects a lock file that seems to be of another tenant, unless forced or all but one entry is replaced', async () => {
    const formulary = project({ card: 'Card', other: 'Other' });
    const more = { third: { id: UNKNOWN.replace(/.$/, 'e') } };
    const lock = { version: 1, targets: { staging: { other: { id: UNKNOWN }, ...more } } };
    writeFileSync(join(formulary.cwd, 'formulas.lock.json'), JSON.stringify(lock));
    const [id = '', second = ''] = await created(formulary, 'Theirs', 'Second');
    expectExit(await formulary(`link card ${id}`), 6, 'Is this the right tenant?', '');
    expect(lockOf(formulary)).toEqual(lock.targets.staging);
    expect(await formulary(`link other ${id}`)).toMatchObject({ code: 0 });
    expect(await formulary(`link card ${second}`)).toMatchObject({ code: 0 });
    writeFileSync(join(formulary.cwd, 'formulas.lock.json'), JSON.stringify(lock));
    expect(await formulary(`link card ${id} --force`)).toMatchObject({ code: 0 });
    expect(lockOf(formulary)).toEqual({ card: { id }, ...lock.targets.staging });
  });

  it('proposes commands for the same service, which can be pasted', async () => {
    const formulary = project({ 'my card': 'Card', other: 'Other', two: 'Two' });
    const [id = ''] = await created(formulary, 'Two');
    expect((await formulary('link two Nothing --local')).err).toContain('formulary formula list --local');
    await run(['formula', 'link', 'my card', id, '--local'], { cwd: formulary.cwd, env: formulary.env });
    const unlink = `formulary formula unlink 'my card' --local`;
    expect((await formulary(`link other ${id} --local`)).err).toContain(unlink);
    expect((await formulary('update two --local')).err).toContain(unlink);
    writeFileSync(join(formulary.cwd, 'two/manifest.json'), cardFiles({ name: 'New' })['manifest.json']);
    expect((await formulary('update two --local')).err).toContain('formulary formula create two --local');
  });

  it('is removed without a key and without a service', async () => {
    const formulary = project({ card: 'Card' });
    const lock = { version: 1, targets: { 'https://api.example.com': { card: { id: '1' } } } };
    writeFileSync(join(formulary.cwd, 'formulas.lock.json'), JSON.stringify(lock));
    const env = { XDG_STATE_HOME: folderWith() };
    const words = 'unlink card --base-url https://api.example.com/';
    const err = 'Unlinked card from formula 1\n';
    expect(await formulary(words, { cwd: formulary.cwd, env })).toMatchObject({ code: 0, err });
    expect(readFileSync(join(formulary.cwd, 'formulas.lock.json'), 'utf8')).toContain('"targets": {}');
    expect(await formulary('unlink card', { cwd: formulary.cwd, env })).toMatchObject({ code: 2 });
  });
});

describe('create', () => {
  it('writes the lock file if it exists, otherwise only with --link', async () => {
    const formulary = project({ one: 'One', two: 'Two' }, { lock: false });
    await formulary('create one');
    expect(existsSync(join(formulary.cwd, 'formulas.lock.json'))).toBe(false);
    const two = JSON.parse((await formulary('create two --link --json')).out).id;
    expect(lockOf(formulary)).toEqual({ two: { id: two } });
    writeFileSync(join(formulary.cwd, 'one/manifest.json'), cardFiles({ name: 'Other' })['manifest.json']);
    const one = JSON.parse((await formulary('create one --json')).out).id;
    expect(lockOf(formulary)).toEqual({ one: { id: one }, two: { id: two } });
  });

  it('rejects a folder that is linked to a formula of any name; a duplicate does not change the lock file', async () => {
    const formulary = project({ card: 'Card' });
    const { id } = JSON.parse((await formulary('create card --json')).out);
    writeFileSync(join(formulary.cwd, 'card/manifest.json'), cardFiles({ name: 'New' })['manifest.json']);
    await created(formulary, 'New');
    expectExit(await formulary('create card'), 6, 'formula update card');
    expect(await formulary('create card --allow-duplicate')).toMatchObject({ code: 0 });
    expect(lockOf(formulary)).toEqual({ card: { id } });
  });

  it('sends nothing if the lock file is invalid', async () => {
    const formulary = project({ card: 'Card' });
    writeFileSync(join(formulary.cwd, 'formulas.lock.json'), '<<<<<<< HEAD');
    expectExit(await formulary('create card'), 3, 'conflict markers');
    rmSync(join(formulary.cwd, 'formulas.lock.json'));
    expect((await formulary('list')).out).toBe('');
  });
});

describe('update of a folder', () => {
  it('replaces the formula in the lock file, whatever its name is', async () => {
    const formulary = project({ card: 'Card' });
    const [id = ''] = await created(formulary, 'Before', 'Other');
    await formulary(`link card ${id}`);
    expect(JSON.parse((await formulary('update card --json')).out)).toMatchObject({ id, name: 'Card' });
  });

  it('replaces the one private formula of its name, and links it', async () => {
    const formulary = project({ card: 'Card' });
    const [id = ''] = await created(formulary, 'Card', 'Other');
    edit(formulary, 'card');
    expect(await formulary('update card --dry-run')).toMatchObject({ code: 0, out: expect.stringContaining(`/${id}`) });
    expect(lockOf(formulary)).toEqual({});
    expectExit(await formulary('update card'), 0, /^Service: .*\nUpdated formula "Card": code\n/);
    expect(lockOf(formulary)).toEqual({ card: { id } });
  });

  it('matches by name if the id no longer exists, and reports it', async () => {
    const formulary = project({ card: 'Card' });
    const lock = { version: 1, targets: { staging: { card: { id: UNKNOWN } } } };
    writeFileSync(join(formulary.cwd, 'formulas.lock.json'), JSON.stringify(lock));
    expectExit(await formulary('update card'), 5, 'formula create card');
    const [id] = await created(formulary, 'Card');
    expectExit(await formulary('update card'), 0, `${UNKNOWN} no longer exists`);
    expect(lockOf(formulary)).toEqual({ card: { id } });
  });

  it('exits with 6 for several of its name, and for one that is linked to another folder', async () => {
    const formulary = project({ card: 'Card', other: 'Other' });
    const [id = ''] = await created(formulary, 'Card');
    await formulary(`link other ${id}`);
    expect(await formulary('update card')).toMatchObject(
      exitsWith(6, /is linked to another folder: other\n.*\n +To unlink the other folder, run: .* unlink other\n/),
    );
    const twins = await created(formulary, 'Card');
    const { code, err } = await formulary('update card');
    expect(code).toBe(6);
    for (const twin of [id, ...twins]) expect(err).toContain(twin);
  });

  it('compares a name that looks like an id as a name', async () => {
    const formulary = project({ card: UNKNOWN });
    const [id = ''] = await created(formulary, UNKNOWN);
    expect(JSON.parse((await formulary('update card --json')).out)).toMatchObject({ id });
  });

  it('does not change the lock file if another formula is passed', async () => {
    const formulary = project({ card: 'Card' });
    const [one = '', two = ''] = await created(formulary, 'One', 'Two');
    await formulary(`link card ${one}`);
    expect(await formulary(`update ${two} card`)).toMatchObject({ code: 0 });
    expect(lockOf(formulary)).toEqual({ card: { id: one } });
  });
});

describe('a formula that others changed since the last pull or push', () => {
  it.each(['update card', 'update CARD card', 'update card --dry-run'])(
    'is not replaced by %s without --force',
    async (words) => {
      const formulary = project({ card: 'Card' });
      const { id } = JSON.parse((await formulary('create card --json')).out);
      await changedElsewhere(formulary, id, { name: 'Card' });
      edit(formulary, 'card');
      const typed = words.replace('CARD', id);
      expectExit(await formulary(typed), 6, 'the remote version changed since', '');
      expect((await formulary(`get ${id} --code`)).out).toContain('// theirs');
      expect(await formulary(`${typed} --force`)).toMatchObject({ code: 0 });
    },
  );

  it('is not a conflict on a computer without a baseline, nor if nothing changes', async () => {
    const formulary = project({ card: 'Card' });
    const { id } = JSON.parse((await formulary('create card --json')).out);
    await changedElsewhere(formulary, id, { name: 'Card' });
    editCode(join(formulary.cwd, 'card'), 'theirs');
    expectExit(await formulary('update card'), 0, 'No changes');
    edit(formulary, 'card');
    expectExit(await formulary('update card'), 0, /^Service: .*\nUpdated formula "Card": code\n/);
  });
});

describe('the lock file above the working folder', () => {
  it('loses the entry of a deleted formula, and gets the new id of a restored one', async () => {
    const formulary = project({ card: 'Card', other: 'Other' });
    const { id } = JSON.parse((await formulary('create card --json')).out);
    await formulary('create other');
    const { other } = lockOf(formulary);
    expect(await formulary(`delete ${id} --yes`)).toMatchObject({ code: 0 });
    expect(lockOf(formulary)).toEqual({ other });
    const [{ entry }] = JSON.parse((await formulary('history --json')).out);
    await formulary(`restore ${entry} --yes`);
    expect(lockOf(formulary)).toEqual({ other });
  });

  it.each([
    ['on this computer', (formulary: Machine) => formulary],
    ['on another computer', (formulary: Machine) => machine({ data: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' })],
  ])('lets a push create its only formula again after a delete %s', async (_, deletingComputer) => {
    const formulary = project({ card: 'Card' });
    await formulary('push card');
    const first = lockOf(formulary);
    expect(await deletingComputer(formulary)(`delete Card --yes`)).toMatchObject({ code: 0 });
    expectExit(await formulary('push card'), 0, /1 created on .*\n$/);
    expect(lockOf(formulary)).not.toEqual(first);
    expectExit(await formulary('push card'), 0, 'nothing to do: 1 up to date on ');
  });

  it('follows a formula that others deleted and that is restored with a new id', async () => {
    const formulary = project({ card: 'Card' });
    const { id } = JSON.parse((await formulary('create card --json')).out);
    edit(formulary, 'card');
    await formulary('update card');
    const elsewhere = machine({ data: formulary.env['FORMULARY_LOCAL_DATA'] ?? '' });
    await elsewhere(`delete ${id} --yes`);
    const [{ entry }] = JSON.parse((await formulary('history --json')).out);
    const restored = JSON.parse((await formulary(`restore ${entry} --yes --json`)).out);
    expect(restored.id).not.toBe(id);
    expect(lockOf(formulary)).toEqual({ card: { id: restored.id } });
  });

  it('follows a formula that is restored from another folder of the repository', async () => {
    const formulary = project({ 'f/card': 'Card', 'docs/other': 'Other' }, { lock: false });
    await formulary('push f');
    const lock = join(formulary.cwd, 'f/formulas.lock.json');
    const docs = { cwd: join(formulary.cwd, 'docs') };
    await formulary('delete Card --yes', docs);
    const { id } = JSON.parse((await formulary('restore Card --yes --json', docs)).out);
    expect(JSON.parse(readFileSync(lock, 'utf8')).targets.staging).toEqual({ card: { id } });
  });
});

describe('a state folder that cannot be written', () => {
  it('is a warning if the service and the lock file are correct', async () => {
    const formulary = project({ card: 'Card' });
    const env = { ...formulary.env, XDG_STATE_HOME: '/dev/null' };
    expect(await formulary('create card', { cwd: formulary.cwd, env })).toMatchObject(
      exitsWith(
        0,
        /^Service: .*\nwarning: cannot write the state folder .* are not detected\nhint: Set XDG_STATE_HOME .*\nCreated formula [^\n]*\n$/,
      ),
    );
    expect(lockOf(formulary)).toHaveProperty('card');
  });
});
