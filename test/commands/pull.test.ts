import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CARD_BODY,
  CARD_CODE,
  CARD_MANIFEST,
  cardFiles,
  editCode,
  folderWith,
  inFolder,
  PIXEL,
  writeFiles,
} from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { changedElsewhere, created, type Machine, machine } from '../helpers/machine.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

/** The paths of all files below a folder, and what they hold. */
const textsIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => [
    entry.name,
    ...(entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'utf8')] : []),
  ]);

const textOf = (formulary: Machine, file: string) => readFileSync(join(formulary.cwd, file), 'utf8');

describe('pull', () => {
  it('creates no folder under a name that Windows cannot have', async () => {
    const formulary = machine();
    await created(formulary, 'Sign');
    expect(await formulary('pull --dir nul')).toMatchObject(
      exitsWith(2, 'error: could not create the folder nul: it is a device name on Windows\n'),
    );
    expect(existsSync(join(formulary.cwd, 'nul'))).toBe(false);
  });

  it('writes a folder for each private formula, and a second time nothing', async () => {
    const formulary = machine();
    const [card, sign] = await created(formulary, 'Tokenize a card', 'Sign');
    const { code, out, err } = await formulary('pull --dir all --json');
    expectExit({ code, err }, 0, '');
    expect(JSON.parse(out)).toEqual({
      schema_version: 1,
      items: [
        { folder: 'all/tokenize-a-card', id: card, name: 'Tokenize a card', outcome: 'written' },
        { folder: 'all/sign', id: sign, name: 'Sign', outcome: 'written' },
      ],
      summary: { total: 2, written: 2, unchanged: 0, kept: 0, failed: 0 },
    });
    expect(readdirSync(join(formulary.cwd, 'all')).sort()).toEqual(['sign', 'tokenize-a-card']);
    expect(readdirSync(join(formulary.cwd, 'all/sign')).sort()).toEqual(['.gitattributes', 'code.js', 'manifest.json']);
    expect(JSON.parse(textOf(formulary, 'all/tokenize-a-card/manifest.json'))).toEqual(CARD_MANIFEST);
    expect(textOf(formulary, 'all/tokenize-a-card/code.js')).toBe(CARD_CODE);
    expect(await formulary('validate all')).toMatchObject({ code: 0 });
    expect(await formulary('pull --dir all')).toEqual({
      code: 0,
      out: `unchanged\tall/tokenize-a-card\t${card}\tTokenize a card\nunchanged\tall/sign\t${sign}\tSign\n`,
      err: 'Service: the embedded service\nnothing to do: 2 up to date\n',
    });
  });

  it('reports that there is nothing to pull, and creates no folder', async () => {
    const formulary = machine();
    expectExit(await formulary('pull --dir all'), 0, 'nothing to pull', '');
    expect(existsSync(join(formulary.cwd, 'all'))).toBe(false);
  });

  it('writes only the given formulas, with the folder names of a complete pull', async () => {
    const formulary = machine();
    const [one, two] = await created(formulary, 'Same', 'same', 'Other');
    const { out } = await formulary(`pull ${two} same --json`);
    const [item] = JSON.parse(out).items;
    expect(JSON.parse(out).items).toHaveLength(1);
    expect(item.folder).toMatch(/^same-[0-9a-f]{8}$/);
    await formulary('pull');
    expect(readdirSync(formulary.cwd)).toHaveLength(3);
    expect(JSON.parse((await formulary(`pull ${one} --json`)).out).items).toMatchObject([{ outcome: 'unchanged' }]);
    expect(readdirSync(formulary.cwd)).toContain(item.folder);
  });

  it.each([
    ['Nothing', 5],
    ['01234567-89ab-4cde-8f01-23456789abcd', 5],
    ['Twice', 6],
  ])('writes nothing if an argument matches none or several: %s', async (word, code) => {
    const formulary = machine();
    await created(formulary, 'One', 'Twice', 'Twice');
    expect(await formulary(`pull One ${word}`)).toMatchObject({ code, out: '' });
    expect(readdirSync(formulary.cwd)).toEqual([]);
  });

  it('skips local changes, reports them, and exits with 10; --force overwrites them', async () => {
    const formulary = machine();
    await created(formulary, 'Card', 'Other');
    await formulary('pull');
    writeFileSync(join(formulary.cwd, 'card/code.js'), 'mine');
    const kept = await formulary('pull');
    expect(kept).toMatchObject({ code: 10, out: expect.stringMatching(/^kept\tcard\t/) });
    expect(kept.err).toContain('skipped card: code.js differs from the service');
    expect(kept.err).toContain('1 unchanged, 1 skipped');
    expect(textOf(formulary, 'card/code.js')).toBe('mine');
    const [item] = JSON.parse((await formulary('pull --json')).out).items;
    expect(item).toMatchObject({ outcome: 'kept', error: { code: 'differs', exit_code: 10 } });
    expect(await formulary('pull --force')).toMatchObject({ code: 0 });
    expect(textOf(formulary, 'card/code.js')).toBe(CARD_CODE);
  });

  it('writes changes by others into a folder without local changes, also after a rename', async () => {
    const formulary = machine();
    const [id = ''] = await created(formulary, 'Card');
    await formulary('pull');
    writeFileSync(join(formulary.cwd, 'card/notes.md'), 'mine');
    await changedElsewhere(formulary, id, { name: 'Renamed' });
    expect(await formulary('pull')).toMatchObject({ code: 0, out: `written\tcard\t${id}\tRenamed\n` });
    expect(textOf(formulary, 'card/code.js')).toContain('// theirs');
    expect(JSON.parse(textOf(formulary, 'card/manifest.json')).name).toBe('Renamed');
    expect(textOf(formulary, 'card/notes.md')).toBe('mine');
    expect(readdirSync(formulary.cwd)).toEqual(['card']);
  });

  it('writes the folder in the lock file, and creates it again if it is missing', async () => {
    const formulary = machine();
    const [id = ''] = await created(formulary, 'Card');
    await formulary('pull --target staging');
    const lock = textOf(formulary, 'formulas.lock.json');
    expect(JSON.parse(lock).targets).toEqual({ staging: { card: { id } } });
    mkdirSync(join(formulary.cwd, 'deep'));
    renameSync(join(formulary.cwd, 'card'), join(formulary.cwd, 'deep/er'));
    writeFileSync(join(formulary.cwd, 'formulas.lock.json'), lock.replace('"card"', '"deep/er"'));
    const deep = { cwd: join(formulary.cwd, 'deep') };
    expect(await formulary('pull --target staging', deep)).toMatchObject({
      out: expect.stringMatching(/^unchanged\ter\t/),
    });
    rmSync(join(formulary.cwd, 'deep'), { recursive: true });
    expect(await formulary('pull --target staging')).toMatchObject({
      out: expect.stringMatching(/^written\tdeep\/er\t/),
    });
  });

  it('writes a copy without an entry if --dir does not include the folder in the lock file', async () => {
    const formulary = machine();
    await created(formulary, 'Card');
    await formulary('pull --target staging');
    const lock = textOf(formulary, 'formulas.lock.json');
    const { err } = await formulary('pull --target staging --dir copy');
    expect(err).toContain('was not linked; do not push it');
    expect(textOf(formulary, 'copy/card/code.js')).toBe(CARD_CODE);
    expect(textOf(formulary, 'formulas.lock.json')).toBe(lock);
  });

  it('adds nothing to a lock file that seems to be of another tenant, unless forced', async () => {
    const UNKNOWN = '01234567-89ab-4cde-8f01-23456789abcd';
    const lock = {
      version: 1,
      targets: { staging: { theirs: { id: UNKNOWN }, more: { id: UNKNOWN.replace(/.$/, 'e') } } },
    };
    const formulary = machine({ cwd: folderWith({ 'formulas.lock.json': JSON.stringify(lock) }) });
    const [id] = await created(formulary, 'Card');
    for (const words of ['pull --target staging', 'pull Card --target staging']) {
      expectExit(await formulary(words), 6, 'Is this the right tenant?', '');
    }
    expect(readdirSync(formulary.cwd)).toEqual(['formulas.lock.json']);
    expect(JSON.parse(textOf(formulary, 'formulas.lock.json'))).toEqual(lock);
    expect(await formulary('pull --target other')).toMatchObject({ code: 0 });
    expect(await formulary('pull --target staging --force')).toMatchObject({ code: 0 });
    expect(JSON.parse(textOf(formulary, 'formulas.lock.json')).targets.staging).toEqual({
      card: { id },
      ...lock.targets.staging,
    });
  });

  it('uses the one folder of the exact name without a lock file', async () => {
    const formulary = machine();
    await created(formulary, 'Card');
    writeFiles(join(formulary.cwd, 'mine/first'), cardFiles({ name: 'Card' }));
    expect(await formulary('pull')).toMatchObject({ code: 0, out: expect.stringMatching(/^unchanged\tmine\/first\t/) });
    expect(readdirSync(formulary.cwd)).toEqual(['mine']);
  });

  it.each([
    ['the folder', 'card', 'outside'],
    ['a file', 'card/code.js', 'outside/code.js'],
    ['an icon', 'card/icon.png', 'outside/nowhere'],
  ])('writes nothing through a link instead of %s, and writes the others', async (_, link, goal) => {
    const formulary = machine();
    await created(formulary, 'Card', 'Other');
    const outside = folderWith({ 'outside/code.js': 'theirs' });
    if (link !== 'card') mkdirSync(join(formulary.cwd, 'card'));
    symlinkSync(join(outside, goal), join(formulary.cwd, link));
    const { code, out, err } = await formulary('pull --force');
    expect({ code, out }).toMatchObject({ code: 7, out: expect.stringMatching(/^failed\tcard\t.*\nwritten\tother\t/) });
    expect(err).toContain(`error: ${link} is a symbolic link`);
    expect(readdirSync(join(outside, 'outside'))).toEqual(['code.js']);
    expect(readFileSync(join(outside, 'outside/code.js'), 'utf8')).toBe('theirs');
  });

  it('exits with the code of its failures if nothing was written', async () => {
    const formulary = machine();
    await created(formulary, 'Card', 'Fine', 'Mine');
    writeFileSync(join(formulary.cwd, 'card'), 'a file');
    expectExit(await formulary('pull Card'), 2, 'card is not a directory');
    expect(textOf(formulary, 'card')).toBe('a file');
    expectExit(await formulary('pull'), 7, '2 written, 1 failed');
    expectExit(await formulary('pull'), 2, '2 unchanged, 1 failed');
    writeFileSync(join(formulary.cwd, 'mine/code.js'), 'mine');
    expectExit(await formulary('pull'), 2, '1 unchanged, 1 skipped, 1 failed');
  });

  it.each([
    ['that is a file', { all: '' }, 'could not create the folder'],
    [
      'that is itself a formula',
      { 'all/manifest.json': JSON.stringify({ ...CARD_MANIFEST, name: 'Else' }) },
      'is a formula folder that is not linked',
    ],
  ])('rejects a --dir %s', async (_, files, words) => {
    const formulary = machine({ cwd: folderWith(files as unknown as Record<string, string>) });
    await created(formulary, 'Card');
    expect(await formulary('pull --dir all')).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });

  it('stops between two formulas after a signal, and reports the number of completed ones', async () => {
    const cwd = folderWith();
    const stop = new AbortController();
    const formulas = ['One', 'Two'].map((name, i) => ({ ...CARD_BODY, id: `id-${i}`, name }));
    const { url, env } = await loopback((_request, response) => {
      json(response, 200, { data: formulas, pagination: { total_items: 2, total_pages: 1 } });
      // The response to the list arrives; the request for it was in flight.
      stop.abort('SIGINT');
    });
    expect(await run(['formula', 'pull', '--json'], { cwd, env, stopping: stop.signal })).toMatchObject(
      exitsWith(130, '0 of 2 formulas were pulled'),
    );
    expect(readdirSync(cwd)).toEqual([]);
    const err = `Service: ${url}\n2 written\n`;
    expect(await run(['formula', 'pull'], { cwd, env })).toMatchObject({ code: 0, err });
  });

  it('compares the bundle of code.ts, and writes manifest and icon next to it, but never code.js', async () => {
    const { 'code.js': code, ...rest } = cardFiles({ name: 'Card' });
    const formulary = machine({
      cwd: folderWith({ 'card/code.mjs': code.replace('module.exports =', 'export default') }),
    });
    writeFileSync(join(formulary.cwd, 'card/manifest.json'), rest['manifest.json']);
    const id = JSON.parse((await formulary('create card --json')).out).id;
    expect(await formulary('pull')).toMatchObject({ code: 0, out: expect.stringMatching(/^unchanged\tcard\t/) });
    await changedElsewhere(formulary, id, { name: 'Card' });
    expectExit(await formulary('pull --force'), 10, 'next to code.mjs');
    expect(readdirSync(join(formulary.cwd, 'card')).sort()).toEqual(['code.mjs', 'manifest.json']);
  });
});

describe('pull from a service with odd formulas', () => {
  const ODD = { id: '1', name: 'Odd', type: 'private', status: 'verified', code: CARD_CODE };
  const formula = (more: object) => ({ ...ODD, ...more });
  const KEY = 'key-Full-0123456789';
  async function pulled(list: object[], ...flags: string[]) {
    const { url, requests } = await loopback(({ url: path }, response) =>
      path.includes('?') ? json(response, 200, { data: list }) : json(response, 200, formula({ code: 'whole' })),
    );
    const cwd = folderWith();
    const env = { FORMULARY_BASE_URL: url, FORMULARY_API_KEY: KEY, XDG_STATE_HOME: folderWith() };
    return { cwd, requests, state: env.XDG_STATE_HOME, ...(await run(['formula', 'pull', ...flags], { cwd, env })) };
  }

  it('reads code that is missing in the list', async () => {
    const { cwd, code } = await pulled([formula({ code: undefined })]);
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'odd/code.js'), 'utf8')).toBe('whole');
  });

  it.each([
    ['null', { type: null }],
    ['left out', { type: undefined }],
    ['one that cannot be sent', { type: 'shared' }],
  ])('leaves nothing to push if the type is %s, and accepts later changes', async (_, more) => {
    const list = [formula(more)];
    const { url, env, requests } = await loopback((_request, response) => json(response, 200, { data: list }));
    const cwd = folderWith();
    const formulary = (words: string) => run(['formula', ...words.split(' ')], { cwd, env });
    expect(await formulary('pull --dir .')).toMatchObject({ code: 0 });
    expect(await formulary('diff .')).toMatchObject({ code: 0 });
    const err = `Service: ${url}\nnothing to do: 1 up to date on ${url}\n`;
    expect(await formulary('push .')).toMatchObject({ code: 0, err });
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
    list[0] = formula({ ...more, code: `${CARD_CODE}// theirs\n` });
    expectExit(await formulary('pull --dir .'), 0, '1 written');
  });

  it('reports icons that cannot be files, and writes what validate rejects', async () => {
    const { cwd, code, err } = await pulled([
      formula({ icon: 'data:image/svg+xml;base64,PHN2Zy8+' }),
      formula({ id: '2', name: ' ', code: 'not javascript' }),
    ]);
    expect(code).toBe(0);
    expect(err).toContain('warning: odd: the icon must be a PNG or JPEG (got an SVG image); no icon file was written');
    expect(readFileSync(join(cwd, 'formula/code.js'), 'utf8')).toBe('not javascript');
    expect(readdirSync(join(cwd, 'odd')).sort()).toEqual(['.gitattributes', 'code.js', 'manifest.json']);
  });

  it('fails for code that cannot be a file, and writes the others', async () => {
    const { cwd, code, err } = await pulled([formula({ code: '\ud800' }), formula({ id: '2', name: 'Fine' })]);
    expect(code).toBe(7);
    expect(err).toContain('an unpaired surrogate');
    expect(readdirSync(cwd)).toEqual(['fine']);
  });

  it.each([
    ['name', { name: KEY }],
    ['name', { name: `The ${KEY.toUpperCase()} one` }],
    ['name', { name: [...KEY.toLowerCase()].join('\u200b') }],
    ['name', { name: KEY.replace('F', '\uff26') }],
    ['description', { description: `take ${KEY}` }],
    ['code', { code: `use("${KEY}");` }],
    ['code', { code: `use("${Buffer.from(KEY).toString('base64')}");` }],
    ['icon', { icon: `data:image/png;base64,${Buffer.concat([PIXEL, Buffer.from(KEY)]).toString('base64')}` }],
    ['configuration', { configuration: [{ name: KEY, type: 'string' }] }],
    ['request_parameters', { request_parameters: [{ name: 'a', description: `\n${KEY}`, type: 'string' }] }],
    ['id', { id: KEY }],
  ])('writes nothing of a formula whose %s contains the key in use, and writes the others: %j', async (part, more) => {
    const others = ['Fine', 'The one'].map((name) => formula({ id: name, name }));
    const ended = await pulled([formula(more), ...others], '--target', 'staging', '--json');
    const { cwd, state, code, out, err } = ended;
    expect(code).toBe(7);
    expect(err).toContain(`contains the API key in use (in its ${part})`);
    expect(JSON.parse(out).items[0]).toMatchObject({ outcome: 'failed', error: { code: 'invalid' } });
    expect(readdirSync(cwd).sort()).toEqual(['fine', 'formulas.lock.json', 'the-one']);
    const texts = [cwd, state].flatMap((folder) => [out, err, ...textsIn(folder)]).join('\n');
    expect(texts.toLowerCase()).not.toContain(KEY.toLowerCase());
    expect(texts).not.toContain(Buffer.from(KEY).toString('base64').slice(0, -4));
  });

  it('writes a formula unchanged if it contains a key that is not in use', async () => {
    const { cwd, code } = await pulled([formula({ code: 'use("key-Full-0123456788");' })]);
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'odd/code.js'), 'utf8')).toBe('use("key-Full-0123456788");');
  });

  it('writes an official formula if it is named, without a lock entry', async () => {
    const { cwd, code } = await pulled([formula({ type: 'official' })], 'Odd', '--target', 'staging');
    expect(code).toBe(0);
    expect(readdirSync(cwd)).toEqual(['odd']);
  });
});

/** What a push that failed was about to send is a local change. */
it.each(['push card', 'update card'])('a pull after a rejected %s keeps the folder', async (words) => {
  const id = '00000000-0000-4000-8000-000000000001';
  const remote = { ...CARD_BODY, id };
  const service = await loopback((request, response) => {
    if (request.method !== 'GET') return json(response, 422, { title: 'No' });
    const isList = !request.url.includes(id);
    json(response, 200, isList ? { pagination: { total_items: 1, total_pages: 1 }, data: [remote] } : remote);
  });
  const cwd = folderWith(inFolder('card', cardFiles()));
  const env = { ...service.env, FORMULARY_TARGET: 'test' };
  const formulary = (line: string) => run(['formula', ...line.split(' ')], { cwd, env });
  expect((await formulary('push card')).code).toBe(0);
  editCode(join(cwd, 'card'), 'mine');
  expect((await formulary(words)).code).toBe(1);
  expect((await formulary('pull')).code).toBe(10);
  expect(readFileSync(join(cwd, 'card/code.js'), 'utf8')).toContain('// mine');
});
