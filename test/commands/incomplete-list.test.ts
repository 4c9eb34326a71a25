/** Commands against a service that counts more formulas than its list shows: what depends on the missing part ends with 8. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, formulaTree } from '../helpers/folders.ts';
import { json, loopback, type Recorded } from '../helpers/loopback.ts';
import { expectExit, type RunResult, run } from '../helpers/test-host.ts';

const idOf = (n: number) => `00000000-0000-4000-8000-ABCDEF00000${n}`;
const formula = (n: number, name: string): Formula => ({
  ...(CARD_MANIFEST as Omit<Formula, 'id'>),
  id: idOf(n),
  name,
  code: CARD_CODE,
});

/** After a POST the service returns 500, whether it created the formula or not. */
type Post = 'ok' | '500 and created' | '500';

interface Store {
  all: Map<string, Formula>;
  isHidden: Set<string>;
  post: Post;
}

/** A service with `shown` and `hidden` formulas that counts both; the hidden ones are returned only by id. */
async function service(shown: Formula[], hidden: Formula[], post: Post = 'ok') {
  const all = new Map([...shown, ...hidden].map((one) => [one.id, one]));
  const store: Store = { all, isHidden: new Set(hidden.map(({ id }) => id)), post };
  const { requests, ...service } = await loopback((request, response) => {
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
  const env = { ...service.env, FORMULARY_TARGET: 'test' };
  const formulary = (...words: string[]) => run(['formula', ...words, '--retry-timeout', '1'], { env });
  const writes = () => requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  return Object.assign(formulary, { env, writes, all });
}

function create({ all, isHidden, post }: Store, body: Formula): [number, unknown] {
  const created = { ...body, id: idOf(9) };
  if (post !== '500') all.set(created.id, created);
  if (post === 'ok') return [201, created];
  isHidden.add(created.id);
  return [500, { title: 'No' }];
}

function page({ all, isHidden }: Store, query: URLSearchParams): [number, unknown] {
  const data = [...all.values()].filter(({ id }) => !isHidden.has(id));
  const pagination = { total_items: all.size, total_pages: 1 };
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

describe('create, when the list is incomplete', () => {
  it('rejects a name in the list', async () => {
    const formulary = await service([card], [other]);
    expectExit(await formulary('create', folder()), 6, `already exists: ${card.id}`);
    expect(formulary.writes()).toEqual([]);
  });

  it('exits with 8 for a name that is not in the list', async () => {
    const formulary = await service([other], [card]);
    for (const flags of [['--dry-run'], []]) {
      const ended = await formulary('create', folder(), ...flags);
      expectExit(ended, 8, /is in use: the service reports 2/);
      expect(ended.err).toContain("formula list --name 'Tokenize a card'");
    }
    expect(formulary.writes()).toEqual([]);
  });

  it('creates a duplicate with --allow-duplicate', async () => {
    const formulary = await service([other], [card]);
    expect(await formulary('create', folder(), '--allow-duplicate')).toMatchObject({ code: 0 });
    expect(formulary.writes()).toEqual(['POST']);
  });

  it.each<Post>(['500 and created', '500'])('ends with 9 when the outcome cannot be checked (%s)', async (post) => {
    const formulary = await service([other], [card], post);
    expect(await formulary('create', folder(), '--allow-duplicate')).toMatchObject({ code: 9 });
  });

  it('does not link a folder again if its formula is not in the list', async () => {
    const formulary = await service([other], [formula(3, 'Third')]);
    const path = folder();
    expect(await formulary('link', path, idOf(3))).toMatchObject({ code: 0 });
    expect(await formulary('create', path, '--allow-duplicate')).toMatchObject({ code: 0 });
    expect(readFileSync(join(path, '..', 'formulas.lock.json'), 'utf8')).toContain(idOf(3));
  });
});

describe('a name as an argument, when the list is incomplete', () => {
  const changed = () => folder(cardFiles({}, { 'code.js': `${CARD_CODE}// new\n` }));
  const commands: [string, () => string[], (id: string) => string[], string[]][] = [
    ['update NAME', () => ['update', card.name, changed()], (id) => ['update', id, changed()], ['PUT']],
    ['update DIR', () => ['update', changed()], (id) => ['update', id, changed()], ['PUT']],
    ['delete NAME', () => ['delete', card.name, '--yes'], (id) => ['delete', id, '--yes'], ['DELETE']],
    ['get NAME', () => ['get', card.name], (id) => ['get', id], []],
    ['pull NAME', () => ['pull', card.name, '--dir', folderWith()], (id) => ['pull', id, '--dir', folderWith()], []],
  ];

  it.each(commands)('%s exits with 8, and the id works', async (_, byName, byId, writes) => {
    for (const shown of [[], [card]]) {
      const formulary = await service(shown, [formula(3, card.name)]);
      const ended = await formulary(...byName());
      expectExit(ended, 8, 'could not determine which formula is named');
      expect(ended.err).toContain('Use the id instead of the name');
      expect(formulary.writes()).toEqual([]);
      expect(await formulary(...byId(idOf(3)))).toMatchObject({ code: 0 });
      expect(formulary.writes()).toEqual(writes);
    }
  });

  it.each(commands)('%s exits with 6 if the list contains two formulas of the name', async (_, byName) => {
    const formulary = await service([card, formula(3, card.name)], [other]);
    expect(await formulary(...byName())).toMatchObject({ code: 6 });
    expect(formulary.writes()).toEqual([]);
  });

  it('list only warns', async () => {
    const formulary = await service([other], [card]);
    const ended = await formulary('list', '--json');
    expectExit(ended, 0, 'reports 2 items, but returned 1');
    expect(JSON.parse(ended.out)).toHaveLength(1);
  });
});

it('restore creates no formula if the list is incomplete', async () => {
  const formulary = await service([card], [formula(3, card.name)]);
  expect(await formulary('delete', card.id, '--yes')).toMatchObject({ code: 0 });
  const [{ entry }] = JSON.parse((await run(['formula', 'history', '--json'], { env: formulary.env })).out);
  expectExit(await formulary('restore', entry, '--yes'), 8, 'could not determine which formula is named');
  expect(formulary.writes()).toEqual(['DELETE']);
});

describe('push and diff, when the list is incomplete', () => {
  const ways = ({ out }: RunResult) =>
    Object.fromEntries(
      JSON.parse(out).items.map(({ name, outcome, action }: Record<string, string>) => [name, outcome ?? action]),
    );
  const lock = (root: string, ids: Record<string, string>) => {
    const test = Object.fromEntries(Object.entries(ids).map(([path, id]) => [path, { id }]));
    writeFileSync(join(root, 'formulas.lock.json'), JSON.stringify({ version: 1, targets: { test } }));
  };

  it('update, skip, and delete linked formulas in the list', async () => {
    const formulary = await service([formula(1, 'Card'), formula(2, 'Gone')], [formula(3, 'Third')]);
    const root = formulaTree('Card');
    lock(root, { Card: idOf(1), Gone: idOf(2) });
    const diff = await formulary('diff', root, '--prune', '--json');
    expect([diff.code, ways(diff)]).toEqual([10, { Card: 'keep', Gone: 'delete' }]);
    const push = await formulary('push', root, '--prune', '--yes', '--json');
    expect([push.code, ways(push)]).toEqual([0, { Card: 'unchanged', Gone: 'deleted' }]);
  });

  it.each<[string, string[], Record<string, string>, string[]]>([
    ['a folder is not linked', ['Card', 'New'], { Card: idOf(1) }, []],
    ['the list does not show a linked formula', ['Card', 'Third'], { Card: idOf(1), Third: idOf(3) }, []],
    ['the list shows no linked formula', ['Third', 'Fourth'], { Third: idOf(3), Fourth: idOf(4) }, []],
    ['a formula to delete is not in the list', ['Card'], { Card: idOf(1), Third: idOf(3) }, ['--prune']],
  ])('exit with 8 before any write if %s', async (_, names, links, flags) => {
    const formulary = await service([formula(1, 'Card')], [formula(3, 'Third'), formula(4, 'Fourth')]);
    const root = formulaTree(...names);
    lock(root, links);
    for (const words of [
      ['diff', root, ...flags],
      ['push', root, '--dry-run', ...flags],
      ['push', root, '--yes', ...flags],
    ]) {
      expectExit(await formulary(...words), 8, 'the service reports 3 items, but returned 1', '');
    }
    expect(formulary.writes()).toEqual([]);
  });

  it('pull and link exit with 8 if no linked formula is in the list, unless forced', async () => {
    const formulary = await service([other], [formula(2, 'Card')]);
    const root = formulaTree('Card', 'New');
    lock(root, { Card: idOf(2), Gone: idOf(8) });
    for (const words of [
      ['pull', '--dir', root],
      ['link', join(root, 'New'), idOf(1)],
    ]) {
      expectExit(await formulary(...words), 8, 'could not check whether the lock file is for this service');
      expect(await formulary(...words, '--force')).toMatchObject({ code: 0 });
      lock(root, { Card: idOf(2), Gone: idOf(8) });
    }
  });
});
