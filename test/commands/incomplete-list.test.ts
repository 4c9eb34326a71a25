/** Commands against a service that counts more formulas than its list shows: what it hides is neither missed nor doubled. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toRequestBody } from '../../src/formula-content.ts';
import type { Formula } from '../../src/model.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith } from '../helpers/folders.ts';
import { json, loopback, type Recorded } from '../helpers/loopback.ts';
import { type Ended, run } from '../helpers/test-host.ts';

/** What a search by name does: it finds what the list hides, hides it too, or is refused. */
type Search = 'finds' | 'hides' | 'refuses';

const idOf = (n: number) => `00000000-0000-4000-8000-ABCDEF00000${n}`;
const formula = (n: number, name: string): Formula => ({
  ...(CARD_MANIFEST as Omit<Formula, 'id'>),
  id: idOf(n),
  name,
  code: CARD_CODE,
});

interface Options {
  search?: Search;
  /** After a POST the service answers 500, done or not. */
  post?: 'ok' | '500 and done' | '500';
}

interface Store extends Required<Options> {
  all: Map<string, Formula>;
  isHidden: Set<string>;
}

/** A service that has `shown` and `hidden` formulas and counts both; only ids and perhaps searches lead to the hidden. */
async function service(shown: Formula[], hidden: Formula[], { search = 'finds', post = 'ok' }: Options = {}) {
  const all = new Map([...shown, ...hidden].map((one) => [one.id, one]));
  const store: Store = { all, isHidden: new Set(hidden.map(({ id }) => id)), search, post };
  const { url, requests } = await loopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    const id = pathname.split('/')[2];
    const [status, value] =
      request.method === 'POST'
        ? create(store, JSON.parse(request.body))
        : id === undefined
          ? page(store, searchParams)
          : one(store, request, id);
    json(response, status, value);
  });
  const env = {
    FORMULARY_BASE_URL: url,
    FORMULARY_API_KEY: 'key_of_the_test',
    FORMULARY_TARGET: 'test',
    XDG_STATE_HOME: folderWith(),
  };
  const formulary = (...words: string[]) => run(['formula', ...words, '--retry-timeout', '1'], { env });
  const writes = () => requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  return Object.assign(formulary, { env, writes, all });
}

function create({ all, isHidden, post }: Store, body: Formula): [number, unknown] {
  const made = { ...body, id: idOf(9) };
  if (post !== '500') all.set(made.id, made);
  if (post === 'ok') return [201, made];
  isHidden.add(made.id);
  return [500, { title: 'No' }];
}

function page({ all, isHidden, search }: Store, query: URLSearchParams): [number, unknown] {
  const name = query.get('name');
  if (name !== null && search === 'refuses') return [400, { title: 'No search' }];
  const matching = [...all.values()].filter((one) => name === null || one.name.includes(name));
  const data = matching.filter(({ id }) => (name !== null && search === 'finds') || !isHidden.has(id));
  const pagination = { total_items: matching.length, total_pages: 1 };
  return [200, { pagination, data: query.get('page') === '1' ? data : [] }];
}

function one({ all }: Store, { method, body }: Recorded, id: string): [number, unknown] {
  const found = all.get(id);
  if (!found) return [404, { title: 'Not found' }];
  if (method === 'DELETE') all.delete(id);
  if (method === 'PUT') all.set(id, { ...JSON.parse(body), id });
  return method === 'DELETE' ? [204, undefined] : [200, all.get(id)];
}

const other = formula(1, 'Other');
const card = formula(2, CARD_MANIFEST.name);
const folder = (files = cardFiles()) => folderWith(files);

describe('create, where the list lacks something', () => {
  it.each<[string, Formula[], Search, number, RegExp, string[]]>([
    ['refuses a name that the search finds', [card], 'finds', 6, new RegExp(`exists already: ${card.id}`), []],
    ['creates a name that the search does not find', [formula(3, 'Third')], 'finds', 0, /counts 2 items/, ['POST']],
    ['refuses while the search hides too', [card], 'hides', 8, /is taken: the service counts 2.*counts 1/, []],
    ['refuses where there is no search', [card], 'refuses', 8, /is taken: the service counts 2.*with 400/, []],
  ])('%s', async (_, hidden, search, code, words, writes) => {
    const formulary = await service([other], hidden, { search });
    const dry = await formulary('create', folder(), '--dry-run');
    expect(dry.code).toBe(code);
    const ended = await formulary('create', folder());
    expect(ended).toMatchObject({ code, err: expect.stringMatching(words) });
    expect(formulary.writes()).toEqual(writes);
    if (code === 8) expect(ended.err).toContain("formula list --name 'Tokenize a card'");
  });

  it('makes a duplicate that is wanted, unchecked', async () => {
    const formulary = await service([other], [card], { search: 'hides' });
    expect(await formulary('create', folder(), '--allow-duplicate')).toMatchObject({ code: 0 });
    expect(formulary.writes()).toEqual(['POST']);
  });

  it.each<[string, Options, string[], number, RegExp]>([
    ['finds by search what a lost answer made', { post: '500 and done' }, [], 0, /check shows that it succeeded/],
    ['says that it was not made where the search proves it', { post: '500' }, [], 8, /was not done/],
    [
      'does not take an old duplicate for the one made',
      { post: '500', search: 'hides' },
      ['--allow-duplicate'],
      9,
      /500/,
    ],
    [
      'tells an old duplicate that the search finds from the one made',
      { post: '500' },
      ['--allow-duplicate'],
      8,
      /was not done/,
    ],
  ])('%s', async (_, options, flags, code, words) => {
    const hidden = flags.length > 0 ? [card] : [formula(3, 'Third')];
    const formulary = await service([other], hidden, options);
    expect(await formulary('create', folder(), ...flags)).toMatchObject({ code, err: expect.stringMatching(words) });
  });

  it('refuses a folder that is linked to a formula the list does not show', async () => {
    const formulary = await service([other], [formula(3, 'Third')]);
    const path = folder();
    expect(await formulary('link', path, idOf(3))).toMatchObject({ code: 0 });
    expect(await formulary('create', path)).toMatchObject({ code: 6, err: expect.stringContaining('is linked to') });
  });
});

describe('a name on the command line, where the list lacks something', () => {
  const changed = () => folder(cardFiles({}, { 'code.js': `${CARD_CODE}// new\n` }));
  const commands: [string, () => string[], string[]][] = [
    ['update NAME', () => ['update', card.name, changed()], ['PUT']],
    ['update DIR', () => ['update', changed()], ['PUT']],
    ['delete NAME', () => ['delete', card.name, '--yes'], ['DELETE']],
    ['get NAME', () => ['get', card.name], []],
    ['pull NAME', () => ['pull', card.name, '--dir', folderWith()], []],
  ];

  it.each(commands)('%s finds it by search', async (_, words, writes) => {
    const formulary = await service([other], [card]);
    expect(await formulary(...words())).toMatchObject({ code: 0 });
    expect(formulary.writes()).toEqual(writes);
  });

  it.each(commands)('%s ends with 5 where the search proves that it is absent', async (_, words) => {
    const formulary = await service([other], [formula(3, 'Third')]);
    expect(await formulary(...words())).toMatchObject({ code: 5 });
  });

  it.each(commands)('%s ends with 6 where the search finds another', async (_, words) => {
    const formulary = await service([card], [formula(3, card.name)]);
    expect(await formulary(...words())).toMatchObject({ code: 6 });
    expect(formulary.writes()).toEqual([]);
  });

  it.each(commands)('%s ends with 8 while it is open whether others have it', async (_, words) => {
    for (const shown of [[], [card]]) {
      const formulary = await service(shown, [formula(3, card.name)], { search: 'hides' });
      const ended = await formulary(...words());
      expect(ended).toMatchObject({
        code: 8,
        err: expect.stringContaining('could not tell which formula has the name'),
      });
      expect(ended.err).toContain('give the id instead');
      expect(formulary.writes()).toEqual([]);
    }
  });

  it('list only warns', async () => {
    const formulary = await service([other], [card]);
    const ended = await formulary('list', '--json');
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('counts 2 items, but its pages show 1') });
    expect(JSON.parse(ended.out)).toHaveLength(1);
  });
});

describe('restore, where the list lacks something', () => {
  /** Keeps a copy of the card by deleting it; another of the name is hidden then. */
  async function deleted(search: Search) {
    const formulary = await service([card], [formula(3, card.name)], { search });
    expect(await formulary('delete', card.id, '--yes')).toMatchObject({ code: 0 });
    const [{ entry }] = JSON.parse((await run(['formula', 'history', '--json'], { env: formulary.env })).out);
    return { formulary, entry };
  }

  it.each<[Search, number, RegExp]>([
    ['finds', 6, /exists already/],
    ['hides', 8, /could not check whether the name/],
  ])('creates nothing anew while a search %s', async (search, code, words) => {
    const { formulary, entry } = await deleted(search);
    const ended = await formulary('restore', entry, '--yes');
    expect(ended).toMatchObject({ code, err: expect.stringMatching(words) });
    expect(formulary.writes()).toEqual(['DELETE']);
  });
});

describe('push and diff, where the list lacks something', () => {
  /** A folder with formulas of these names, each in a folder of its name. */
  function tree(...names: string[]): string {
    const files = names.flatMap((name) =>
      Object.entries(cardFiles({ name })).map(([file, text]) => [`${name}/${file}`, text] as const),
    );
    return folderWith(Object.fromEntries(files));
  }
  const ways = ({ out }: Ended) =>
    Object.fromEntries(
      JSON.parse(out).items.map((item: { name: string; outcome?: string; action?: string }) => [
        item.name,
        item.outcome ?? item.action,
      ]),
    );
  const lock = (root: string, entries: Record<string, string>) =>
    writeFileSync(
      join(root, 'formulas.lock.json'),
      JSON.stringify({
        version: 1,
        targets: { test: Object.fromEntries(Object.entries(entries).map(([path, id]) => [path, { id }])) },
      }),
    );

  it('adopt what the search finds, and create what it does not', async () => {
    const formulary = await service([other], [formula(2, 'Card')]);
    const root = tree('Card', 'New');
    const diff = await formulary('diff', root, '--json');
    expect([diff.code, ways(diff)]).toEqual([10, { Card: 'keep', New: 'create' }]);
    const push = await formulary('push', root, '--json');
    expect([push.code, ways(push)]).toEqual([0, { Card: 'unchanged', New: 'created' }]);
    expect(formulary.writes()).toEqual(['POST']);
  });

  it('leave alone what cannot be decided, and do the rest', async () => {
    const formulary = await service([other], [formula(2, 'Card')], { search: 'hides' });
    const root = tree('Card', 'New');
    const diff = await formulary('diff', root, '--json');
    expect([diff.code, ways(diff)]).toEqual([8, { Card: 'conflict', New: 'create' }]);
    const dry = await formulary('push', root, '--dry-run', '--json');
    expect([dry.code, ways(dry)]).toEqual([8, { Card: 'conflict', New: 'create' }]);
    const push = await formulary('push', root, '--json');
    expect([push.code, ways(push)]).toEqual([7, { Card: 'failed', New: 'created' }]);
    const [item] = JSON.parse(push.out).items;
    expect(item.error).toMatchObject({ code: 'unavailable', exit_code: 8 });
    expect(item.error.message).toMatch(/"Card": it is open which formulas have this name: the service counts 2/);
    expect(formulary.writes()).toEqual(['POST']);
  });

  it('end with 8 when nothing can be decided', async () => {
    const formulary = await service([], [formula(2, 'Card')], { search: 'refuses' });
    expect(await formulary('push', tree('Card'))).toMatchObject({ code: 8 });
    expect(formulary.writes()).toEqual([]);
  });

  it('follow the lock to a formula that the list does not show', async () => {
    const formulary = await service([other], [formula(2, 'Card')], { search: 'hides' });
    const root = tree('Card');
    lock(root, { Card: idOf(2) });
    const push = await formulary('push', root, '--json');
    expect([push.code, ways(push)]).toEqual([0, { Card: 'unchanged' }]);
    expect(formulary.writes()).toEqual([]);
  });

  it('do not take it for another tenant, nor do pull and link, since its list hides what the lock names', async () => {
    const formulary = await service([other], [formula(2, 'Card')], { search: 'hides' });
    const root = tree('Card', 'New');
    lock(root, { Card: idOf(2) });
    expect(await formulary('pull', '--dir', root)).toMatchObject({ code: 0 });
    lock(root, { Card: idOf(2) });
    expect(await formulary('link', join(root, 'New'), idOf(1))).toMatchObject({ code: 0 });
    lock(root, { Card: idOf(7), Gone: idOf(8) });
    for (const words of [
      ['pull', '--dir', root],
      ['link', join(root, 'New'), idOf(1)],
      ['push', root],
      ['diff', root],
    ]) {
      expect(await formulary(...words)).toMatchObject({
        code: 6,
        err: expect.stringContaining('Is this the right tenant?'),
      });
    }
  });

  it('prune what the list does not show, and keep what may be that of a moved folder', async () => {
    const formulary = await service([other, formula(3, 'Moved')], [formula(2, 'Card'), formula(4, 'Moved')], {
      search: 'hides',
    });
    const root = tree('Moved', 'Card');
    lock(root, { Card: idOf(2), 'Old place': idOf(3) });
    rmSync(join(root, 'Card'), { recursive: true });
    const push = await formulary('push', root, '--prune', '--yes', '--json');
    expect([push.code, ways(push)]).toEqual([7, { Moved: 'failed', Card: 'deleted' }]);
    expect([...formulary.all.keys()].sort()).toEqual([idOf(1), idOf(3), idOf(4)]);
  });
});

it('the service of these tests takes what is sent', async () => {
  const formulary = await service([], []);
  await formulary('create', folder());
  expect(toRequestBody([...formulary.all.values()][0] as Formula)).toMatchObject({ name: card.name });
});
