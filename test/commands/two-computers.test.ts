/** Two computers that create formulas of the same names at the same time: neither ends as if nothing had happened. */
import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import { CARD_MANIFEST, cardFiles, folderWith, formulaTree } from '../helpers/folders.ts';
import { json, loopback } from '../helpers/loopback.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

interface Rival {
  /** The names that the other computer creates just before. */
  names: readonly string[];
  /** The response to the list after the run. */
  lastList?: number;
  type?: string;
}

/** A service that takes what both computers send. */
async function service({ names, lastList = 200, type = 'private' }: Rival) {
  const formulas: Formula[] = [];
  const add = (body: Omit<Formula, 'id'>) => {
    const id = `00000000-0000-4000-8000-${String(formulas.length + 1).padStart(12, '0')}`;
    formulas.push({ ...body, id, name: body.name });
    return formulas.at(-1);
  };
  const { env, requests } = await loopback((request, response) => {
    if (request.method === 'POST') {
      const body = JSON.parse(request.body);
      if (names.includes(body.name)) add({ ...body, type, code: 'of the other' });
      return json(response, 201, add(body));
    }
    if (formulas.length > 0 && lastList !== 200) return json(response, lastList, { title: 'No' });
    json(response, 200, { pagination: { total_items: formulas.length, total_pages: 1 }, data: formulas });
  });
  const formulary = (...words: string[]) =>
    run(['formula', ...words, '--retry-timeout', '1'], { env: { ...env, FORMULARY_TARGET: 'test' } });
  return Object.assign(formulary, { requests, formulas });
}

const NAMES = ['A', 'B', 'C'];
const outcomes = (out: string) => JSON.parse(out).items.map(({ outcome }: { outcome: string }) => outcome);

describe('a push', () => {
  it('exits with 6 and both ids if another computer created every name too', async () => {
    const formulary = await service({ names: NAMES });
    const { code, out } = await formulary('push', formulaTree(...NAMES), '--json');
    expect([code, outcomes(out)]).toEqual([6, ['conflict', 'conflict', 'conflict']]);
    for (const { id, error } of JSON.parse(out).items) {
      expect(error.details.ids).toHaveLength(2);
      expect(error.details.ids[0]).toBe(id);
      expect(error.hint).toMatch(/formulary formula delete 0{8}-/);
    }
  });

  it('exits with 7 if it created others alone, and lists once again', async () => {
    const formulary = await service({ names: ['B'] });
    const { code, out } = await formulary('push', formulaTree(...NAMES), '--json');
    expect([code, outcomes(out)]).toEqual([7, ['created', 'conflict', 'created']]);
    expect(formulary.requests.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  it('exits with 0 if it was alone, and does not list again if it created nothing', async () => {
    const formulary = await service({ names: [] });
    const root = formulaTree(...NAMES);
    expect(await formulary('push', root)).toMatchObject({ code: 0 });
    const before = formulary.requests.length;
    expect(await formulary('push', root)).toMatchObject({ code: 0 });
    expect(formulary.requests.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  it('does not count official formulas of the name', async () => {
    const formulary = await service({ names: NAMES, type: 'official' });
    expect(await formulary('push', formulaTree(...NAMES))).toMatchObject({ code: 0 });
  });

  it('warns if the list fails', async () => {
    const formulary = await service({ names: NAMES, lastList: 500 });
    expect(await formulary('push', formulaTree(...NAMES))).toMatchObject(
      exitsWith(0, /warning: could not check whether another computer created the same names: .* 500/),
    );
  });
});

describe('a create', () => {
  it('exits with 6 and both ids if another computer created the name too', async () => {
    const formulary = await service({ names: [CARD_MANIFEST.name] });
    const { code, out, err } = await formulary('create', folderWith(cardFiles()), '--json');
    expect([code, out]).toEqual([6, '']);
    expect(JSON.parse(err).error.details.ids).toEqual(formulary.formulas.map(({ id }) => id).reverse());
  });

  const CREATED = /^Service: .*\nCreated formula [^\n]*\n$/;
  it.each<[string, Rival, string[], RegExp]>([
    ['alone is done', { names: [] }, [], CREATED],
    ['of a wanted duplicate is done', { names: [CARD_MANIFEST.name] }, ['--allow-duplicate'], CREATED],
    ['whose list fails is done, with a warning', { names: [], lastList: 500 }, [], /warning: could not check/],
  ])('%s', async (_, rival, flags, words) => {
    const formulary = await service(rival);
    expectExit(await formulary('create', folderWith(cardFiles()), ...flags), 0, words);
  });
});
