import { describe, expect, it } from 'vitest';
import { ADMIN, bodyOf, officialFormula, temporaryService } from './fixture.ts';

const FIELDS = 'id name description type status icon code configuration request_parameters created_at created_by'.split(
  ' ',
);
const NOBODY = '/reactor-formulas/99999999-9999-4999-8999-999999999999';

describe('creating a formula', () => {
  it('returns 201 with the fields in order, with creator and time, and without a modification', async () => {
    const { ask } = await temporaryService();
    const icon = 'data:image/png;base64, iVBORw0KGgo=';
    const body = bodyOf({ icon, configuration: [{ name: 'url', type: 'string' }] });
    const { status, json } = await ask('POST', '/reactor-formulas', body);
    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(FIELDS);
    expect(json).toMatchObject({
      ...body,
      description: null,
      status: 'verified',
      created_at: '2026-02-03T04:05:06.789+00:00',
      created_by: ADMIN.id,
    });
  });

  it.each([
    ['code', 'verified'],
    ['', 'coming_soon'],
  ])('with the code %j sets the status %s, whatever status is sent', async (code, wanted) => {
    const { ask } = await temporaryService();
    const { json } = await ask('POST', '/reactor-formulas/', bodyOf({ code, status: 'mine', id: 'mine' }));
    expect(json.status).toBe(wanted);
    expect(json.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('may use a name that is in use', async () => {
    const { ask } = await temporaryService();
    const ids = [await ask('POST', '/reactor-formulas', bodyOf()), await ask('POST', '/reactor-formulas', bodyOf())];
    expect(new Set(ids.map(({ json }) => json.id)).size).toBe(2);
  });

  it('returns 400 with the errors by field, and stores nothing', async () => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('POST', '/reactor-formulas', bodyOf({ name: '', type: 'x' }));
    expect(status).toBe(400);
    expect(json.errors).toEqual({ name: ['must not be empty'], type: ['must be one of: official, private'] });
    expect((await ask('GET', '/reactor-formulas')).json.data).toEqual([]);
  });
});

describe('a formula by id', () => {
  it('is returned with all audit fields, null if it was never modified', async () => {
    const { ask } = await temporaryService();
    const { json: created } = await ask('POST', '/reactor-formulas', bodyOf());
    const path = `/reactor-formulas/${created.id}`;
    for (const same of [path, `${path}/`, `/reactor-formulas/${created.id.toUpperCase()}`]) {
      const { status, json } = await ask('GET', same);
      expect(status).toBe(200);
      expect(json).toEqual({ ...created, modified_at: null, modified_by: null });
      expect(Object.keys(json)).toEqual([...FIELDS, 'modified_at', 'modified_by']);
    }
  });

  it('is replaced completely by PUT: missing fields are cleared', async () => {
    const { ask } = await temporaryService();
    const first = bodyOf({ description: 'old', icon: 'data:image/png;base64,iVBORw0KGgo=' });
    const { json: created } = await ask('POST', '/reactor-formulas', first);
    const change = bodyOf({ name: 'New', code: '', id: 'other', created_by: 'other', request_parameters: undefined });
    const { status, json } = await ask('PUT', `/reactor-formulas/${created.id}`, change);
    expect(status).toBe(200);
    expect(json).toEqual({
      ...created,
      name: 'New',
      code: '',
      status: 'coming_soon',
      description: null,
      icon: null,
      modified_at: '2026-02-03T04:05:06.789+00:00',
      modified_by: ADMIN.id,
      modified_by_name: ADMIN.name,
    });
    expect((await ask('GET', `/reactor-formulas/${created.id}`)).json).toEqual(json);
    expect((await ask('PUT', `/reactor-formulas/${created.id}`, {})).status).toBe(400);
  });

  it('no longer exists after DELETE, which returns an empty 204', async () => {
    const { ask } = await temporaryService();
    const { json: created } = await ask('POST', '/reactor-formulas', bodyOf());
    const path = `/reactor-formulas/${created.id}`;
    const { status, text } = await ask('DELETE', path);
    expect([status, text]).toEqual([204, '']);
    expect((await ask('DELETE', path)).status).toBe(404);
    expect((await ask('GET', path)).status).toBe(404);
  });

  it.each([
    ['GET', NOBODY],
    ['PUT', NOBODY],
    ['DELETE', NOBODY],
    ['GET', '/reactor-formulas/not-a-uuid'],
    ['PUT', '/reactor-formulas/1'],
    ['DELETE', '/reactor-formulas/%E0%A4%A'],
  ])('is 404 for %s %s', async (method, path) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask(method, path, method === 'PUT' ? bodyOf() : undefined);
    expect([status, json.status]).toEqual([404, 404]);
  });
});

describe('an official formula', () => {
  it('is read and listed like any other, but not created, changed, or deleted by a tenant', async () => {
    const { ask, store } = await temporaryService();
    const official = officialFormula();
    store.formulas.insert(official);
    const { json: mine } = await ask('POST', '/reactor-formulas', bodyOf());
    const path = `/reactor-formulas/${official.id}`;
    const refused = [
      await ask('POST', '/reactor-formulas', bodyOf({ type: 'official' })),
      await ask('PUT', `/reactor-formulas/${mine.id}`, bodyOf({ type: 'official' })),
      await ask('PUT', path, bodyOf()),
      await ask('DELETE', path),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await ask('GET', path)).json).toEqual(official);
    const { json: list } = await ask('GET', '/reactor-formulas');
    expect(list.data.map(({ type }: { type: string }) => type)).toEqual(['official', 'private']);
  });
});

describe('the list', () => {
  it.each([
    ['', [1, 20, 2], 20],
    ['?page=2', [2, 20, 2], 5],
    ['?page=3', [3, 20, 2], 0],
    ['?page=9007199254740991&size=100', [9007199254740991, 100, 1], 0],
    ['?size=100', [1, 100, 1], 25],
    ['?size=10&page=3', [3, 10, 3], 5],
  ])('has pages: %s', async (query, [number, size, pages], length) => {
    const { ask, store } = await temporaryService();
    for (let i = 0; i < 25; i++) store.formulas.insert(officialFormula({ id: `id ${i}` }));
    const { status, json } = await ask('GET', `/reactor-formulas${query}`);
    expect(status).toBe(200);
    expect(json.pagination).toEqual({ total_items: 25, page_number: number, page_size: size, total_pages: pages });
    expect(json.data).toHaveLength(length);
  });

  it.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=', 'page'],
    ['page=1.5', 'page'],
    ['page=1e3', 'page'],
    ['page=99999999999999999999', 'page'],
    ['page=1&page=2', 'page'],
    ['size=0', 'size'],
    ['size=1&size=1', 'size'],
    ['size=101', 'size'],
    ['size=all', 'size'],
  ])('rejects ?%s', async (query, field) => {
    const { ask } = await temporaryService();
    const { status, json } = await ask('GET', `/reactor-formulas?${query}`);
    expect([status, Object.keys(json.errors)]).toEqual([400, [field]]);
  });

  it.each([
    ['?name=tax+num', ['Tax numbers']],
    ['?name=tax%20num', ['Tax numbers']],
    ['?name=TAX*', ['Tax numbers', 'a tax+num']],
    ['?name=tax%2Bnum', ['a tax+num']],
    ['?name=%C3%89T', ['été']],
    ['?name=%25', []],
    ['?name=', ['Tax numbers', 'a tax+num', 'été']],
    ['?name=t&size=1&page=2', ['a tax+num']],
  ])('is searched by name: %s', async (query, names) => {
    const { ask } = await temporaryService();
    for (const name of ['Tax numbers', 'a tax+num', 'été']) await ask('POST', '/reactor-formulas', bodyOf({ name }));
    const { json } = await ask('GET', `/reactor-formulas${query}`);
    expect(json.data.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it('is empty, without pages, for an empty store', async () => {
    const { ask } = await temporaryService();
    expect((await ask('GET', '/reactor-formulas/')).json).toEqual({
      pagination: { total_items: 0, page_number: 1, page_size: 20, total_pages: 0 },
      data: [],
    });
  });
});
