/** The main job against the embedded service, in process and over HTTP: the same commands, the same output. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/service/permissions.ts';
import { CARD_BODY, CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, formulaTree, PIXEL } from '../helpers/folders.ts';
import { machine } from '../helpers/machine.ts';
import { expectExit, type HostOptions, run, startCommand } from '../helpers/test-host.ts';

const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';

/** Runs commands of `formula` on a data file of the test's own. */
function local(hostOptions: HostOptions = {}) {
  const { env } = machine();
  return (...words: string[]) => run(['formula', ...words], { ...hostOptions, env });
}

/** Starts `service start` on a free port; gives the environment of its users. */
async function overHttp() {
  const words = ['service', 'start', '--data', join(folderWith(), 'service.db')];
  const { texts } = startCommand(words, { env: { FORMULARY_SERVICE_KEY: KEY } });
  await expect.poll(() => texts.out, { interval: 5, timeout: 5000 }).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  return { FORMULARY_BASE_URL: texts.out.trim(), FORMULARY_API_KEY: KEY };
}

describe.each([
  ['in process', () => machine().env],
  ['over HTTP', overHttp],
])('the embedded service %s', (_, open) => {
  it('supports create, list, get, update, and delete of a formula', async () => {
    const env = await open();
    const formulary = (...words: string[]) => run(['formula', ...words], { env });
    const folder = folderWith(cardFiles({}, { 'icon.png': PIXEL }));

    const created = await formulary('create', folder, '--json');
    expectExit(created, 0, '');
    const formula = JSON.parse(created.out);
    expect(formula).toMatchObject({ name: CARD_MANIFEST.name, status: 'verified', code: CARD_CODE });
    expect(formula).not.toHaveProperty('modified_at');

    expect(JSON.parse((await formulary('list', '--json')).out)).toMatchObject([{ id: formula.id }]);
    expect(JSON.parse((await formulary('get', formula.id, '--json')).out)).toMatchObject({ id: formula.id });
    expect(JSON.parse((await formulary('get', formula.name, '--json')).out)).toMatchObject({ id: formula.id });

    const changed = folderWith(cardFiles({ description: undefined, name: 'Tokenize a card, anew' }));
    const updated = await formulary('update', formula.id, changed, '--json');
    expect(updated.code).toBe(0);
    expect(JSON.parse(updated.out)).toMatchObject({
      name: 'Tokenize a card, anew',
      description: CARD_MANIFEST.description,
      icon: formula.icon,
    });
    expect(JSON.parse(updated.out).modified_at).toEqual(expect.any(String));

    const deleted = await formulary('delete', formula.id, '--yes', '--json');
    expect(JSON.parse(deleted.out)).toEqual({
      schema_version: 1,
      items: [{ id: formula.id, name: 'Tokenize a card, anew', outcome: 'deleted' }],
      summary: { total: 1, deleted: 1, failed: 0, unknown: 0, not_started: 0 },
    });
    expect(JSON.parse((await formulary('list', '--json')).out)).toEqual([]);
    expect(await formulary('get', formula.id)).toMatchObject({ code: 5, out: '' });
  });

  it('lists all permissions, or those of one type', async () => {
    const env = await open();
    const list = (...flags: string[]) => run(['permissions', 'list', ...flags], { env });
    expect(JSON.parse((await list('--json')).out)).toEqual(PERMISSIONS);
    const expiring = { code: 0, out: 'token:read\tprivate, expiring\tRead tokens\n' };
    expect(await list('--application-type', 'expiring')).toMatchObject(expiring);
    expect(JSON.parse((await list('--application-type', 'robot', '--json')).out)).toEqual([]);
    const none = { code: 0, out: '', err: 'no permissions match\n' };
    expect(await list('--application-type', 'robot')).toMatchObject(none);
  });
});

describe('create', () => {
  it('rejects a second formula of the same name, with the id of the first and the command to update it', async () => {
    const formulary = local();
    const folder = folderWith(cardFiles());
    const { id } = JSON.parse((await formulary('create', folder, '--json')).out);
    const again = await formulary('create', folderWith(cardFiles()));
    expect(again).toMatchObject({ code: 6, out: '' });
    expect(again.err).toContain(`formula update ${id}`);
    expect(await formulary('create', folder, '--allow-duplicate')).toMatchObject({ code: 0 });
    expect(await formulary('get', CARD_MANIFEST.name)).toMatchObject({ code: 6 });
  });

  it('shows the request with --dry-run, and sends nothing', async () => {
    const formulary = local();
    const { code, out } = await formulary('create', folderWith(cardFiles()), '--dry-run', '--json');
    const body = { ...CARD_BODY };
    expect([code, JSON.parse(out)]).toEqual([0, { method: 'POST', path: '/reactor-formulas', body }]);
    expect((await formulary('list')).out).toBe('');
  });

  it('requires no base URL for --dry-run', async () => {
    expectExit(await run(['formula', 'create', folderWith(cardFiles()), '--dry-run', '--json']), 0, '');
    expect((await run(['formula', 'create', folderWith(cardFiles()), '--dry-run'])).err).toContain('was not checked');
  });

  it('sends nothing of an invalid folder, and reports all errors at once', async () => {
    const formulary = local();
    const folder = folderWith(cardFiles({ type: 'public', name: '' }));
    const { code, out, err } = await formulary('create', folder, '--json');
    expect({ code, out }).toEqual({ code: 3, out: '' });
    const { error } = JSON.parse(err);
    expect(error).toMatchObject({ code: 'invalid', exit_code: 3 });
    expect(error.details.findings.map(({ rule }: { rule: string }) => rule)).toEqual(['name-length', 'type-value']);
  });

  it('prints the warnings of a valid folder on stderr', async () => {
    const formulary = local();
    expectExit(await formulary('create', folderWith(cardFiles({ owner: 'x' }))), 0, 'warning manifest-unknown-key');
  });
});

describe('update', () => {
  it('sends nothing without a difference, and reports it', async () => {
    const formulary = local();
    const folder = folderWith(cardFiles({}, { 'icon.png': PIXEL }));
    await formulary('create', folder);
    const { code, err, out } = await formulary('update', CARD_MANIFEST.name, folder);
    expect(code).toBe(0);
    expect(err).toContain('No changes: the formula is up to date.');
    expect(out).not.toMatch(/modified_at\t\d/);
  });

  it('preserves the icon without --remove-icon', async () => {
    const formulary = local();
    await formulary('create', folderWith(cardFiles({}, { 'icon.png': PIXEL })));
    const bare = folderWith(cardFiles());
    const kept = await formulary('update', CARD_MANIFEST.name, bare);
    expect(kept.err).toContain('no local icon; keeping the remote one');
    const cleared = await formulary('update', CARD_MANIFEST.name, bare, '--remove-icon', '--json');
    expect(JSON.parse(cleared.out).icon).toBeNull();
  });

  it('shows the complete body with --dry-run', async () => {
    const formulary = local();
    const { id, icon } = JSON.parse(
      (await formulary('create', folderWith(cardFiles({}, { 'icon.png': PIXEL })), '--json')).out,
    );
    const folder = folderWith(cardFiles({ name: 'New' }));
    const { out } = await formulary('update', id, folder, '--dry-run', '--json');
    expect(JSON.parse(out)).toEqual({
      method: 'PUT',
      path: `/reactor-formulas/${id}`,
      body: { ...CARD_BODY, name: 'New', icon },
    });
    expect(await formulary('get', CARD_MANIFEST.name)).toMatchObject({ code: 0 });
  });
});

describe('update, before it sends anything,', () => {
  it('rejects --remove-icon for a folder with an icon', async () => {
    const formulary = local();
    const folder = folderWith(cardFiles({}, { 'icon.png': PIXEL }));
    await formulary('create', folder);
    expectExit(await formulary('update', CARD_MANIFEST.name, folder, '--remove-icon'), 2, '--remove-icon');
  });

  it.each([
    [{}, 'No changes: the formula is up to date.', /^$/],
    [{ description: 'Another' }, 'Would update: description', /^PUT \/reactor-formulas\/.+\nname\t/],
  ])('reports changes with --dry-run: %j', async (change, words, request) => {
    const formulary = local();
    await formulary('create', folderWith(cardFiles()));
    const folder = folderWith(cardFiles(change));
    const { code, out, err } = await formulary('update', CARD_MANIFEST.name, folder, '--dry-run');
    expect(code).toBe(0);
    expect(err).toContain(words);
    expect(out).toMatch(request);
  });
});

describe('delete', () => {
  it.each([
    ['y', 0],
    ['yes', 0],
    ['', 2],
    ['no', 2],
  ])('prompts on a terminal; for "%s" it exits with %d', async (answer, code) => {
    const formulary = local({ answers: [answer] });
    await formulary('create', folderWith(cardFiles()));
    const deleted = await formulary('delete', CARD_MANIFEST.name);
    expect(deleted.code).toBe(code);
    expect(deleted.err).toContain(CARD_MANIFEST.name);
    expect(deleted.err.endsWith('Delete this formula? [y/N] Cancelled.\n')).toBe(code === 2);
    expect(JSON.parse((await formulary('list', '--json')).out)).toHaveLength(code === 0 ? 0 : 1);
  });

  it('prints a table on a terminal, and tab-separated values in a pipe', async () => {
    for (const [columns, line] of [
      [80, /^OUTCOME {4}ID +NAME\n- deleted {2}[0-9a-f-]{36} {2}Tokenize a card\n$/],
      [undefined, /^deleted\t[0-9a-f-]{36}\tTokenize a card\n$/],
    ] as const) {
      const formulary = local(columns ? { columns } : {});
      await formulary('create', folderWith(cardFiles()));
      expect((await formulary('delete', CARD_MANIFEST.name, '--yes')).out).toMatch(line);
    }
  });

  it('does not prompt with --no-input', async () => {
    const formulary = local({ answers: ['y'] });
    expectExit(await formulary('delete', 'any', '--no-input'), 2, '--yes', '');
  });

  it('deletes nothing if one of the arguments matches nothing', async () => {
    const formulary = local();
    await formulary('create', folderWith(cardFiles()));
    expect(await formulary('delete', CARD_MANIFEST.name, 'absent', '--yes')).toMatchObject({ code: 5, out: '' });
    expect(JSON.parse((await formulary('list', '--json')).out)).toHaveLength(1);
  });
});

describe('list', () => {
  it('searches by name on the service, and filters by type locally', async () => {
    const formulary = local();
    for (const name of ['Card one', 'Card two', 'Bank']) await formulary('create', folderWith(cardFiles({ name })));
    const names = async (...flags: string[]) =>
      JSON.parse((await formulary('list', '--json', ...flags)).out).map((formula: { name: string }) => formula.name);
    expect(await names('--name', 'card*')).toEqual(['Card one', 'Card two']);
    expect(await names('--type', 'official')).toEqual([]);
    expect(await names('--type', 'private')).toHaveLength(3);
  });

  it('lists more formulas than fit one page', async () => {
    const formulary = local();
    await formulary('push', formulaTree(...Array.from({ length: 101 }, (_, i) => `Formula ${i}`)));
    expect(JSON.parse((await formulary('list', '--json')).out)).toHaveLength(101);
  });

  it('shows relative times on a terminal, absolute ones in a pipe, and none for a formula that was never modified', async () => {
    const formulary = machine();
    await formulary(['create', folderWith(cardFiles())]);
    expect((await formulary('list')).out).toMatch(/\tverified\t\n$/);
    await formulary(['update', CARD_MANIFEST.name, folderWith(cardFiles({ description: 'Another' }))]);
    expect((await formulary('list')).out).toMatch(/\t\d{4}-\d\d-\d\dT[\d:.]+\+00:00\n$/);
    expect((await formulary('list', { columns: 120 })).out).toMatch(/ {2}just now\n$/);
  });
});
