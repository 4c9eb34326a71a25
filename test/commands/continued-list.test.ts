/** Commands against services whose lists continue by cursors and links. */
import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import { CARD_CODE, CARD_MANIFEST, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { json, loopback, type Recorded } from '../helpers/loopback.ts';
import { exitsWith, run } from '../helpers/test-host.ts';

const formula = (n: number): Formula => ({
  ...(CARD_MANIFEST as Omit<Formula, 'id'>),
  id: `00000000-0000-4000-8000-00000000000${n}`,
  name: n === 5 ? CARD_MANIFEST.name : `Formula ${n}`,
  code: CARD_CODE,
});
const ALL = [1, 2, 3, 4, 5, 6, 7].map(formula);
const SIZE = 3;

interface Page {
  next?: string | undefined;
  link?: string | undefined;
}

/** A service of seven formulas with three per page; `continuation` formats the reference to the page that starts with an item. */
async function service(continuation: (start: number, host: string) => Page, basePath = '') {
  const { url, requests } = await loopback((request, response) => {
    const { searchParams } = new URL(request.url, 'http://x');
    if (request.method !== 'GET') return json(response, 201, { ...JSON.parse(request.body), id: formula(9).id });
    const start = Number(searchParams.get('start') ?? 0);
    const rest = start + SIZE < ALL.length ? continuation(start + SIZE, request.headers.host ?? '') : {};
    json(
      response,
      200,
      { pagination: { page_size: SIZE, next: rest.next ?? null }, data: ALL.slice(start, start + SIZE) },
      rest.link === undefined ? {} : { link: rest.link },
    );
  });
  const env = {
    FORMULARY_BASE_URL: url + basePath,
    FORMULARY_API_KEY: 'key_of_the_test',
    XDG_STATE_HOME: folderWith(),
  };
  const formulary = (...words: string[]) => run(['formula', ...words, '--retry-timeout', '1'], { env });
  return Object.assign(formulary, { requests });
}

const starts = (requests: readonly Recorded[]) =>
  requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('start'));

describe('a list of seven formulas that continues', () => {
  it.each<[string, Parameters<typeof service>]>([
    ['by a cursor', [(start) => ({ next: `${start}` })]],
    ['by a URL', [(start, host) => ({ next: `http://${host}/reactor-formulas?start=${start}` })]],
    [
      'by a Link header below a base path',
      [(start, host) => ({ link: `<http://${host}/v1/reactor-formulas?start=${start}>; rel="next"` }), '/v1'],
    ],
    [
      'by one of several links',
      [(start) => ({ link: `<?start=0>; rel="first", <?start=${start}>; rel="next last"; title="a, b"` })],
    ],
  ])('%s is complete, and none of its names is created again', async (_, how) => {
    const formulary = await service(...how);
    const listed = await formulary('list', '--json');
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(listed.out).map(({ id }: Formula) => id)).toEqual(ALL.map(({ id }) => id));
    expect(starts(formulary.requests)).toEqual([null, '3', '6']);
    expect(await formulary('create', folderWith(cardFiles()))).toMatchObject(exitsWith(6, formula(5).id));
    expect(formulary.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it.each<[string, Parameters<typeof service>]>([
    ['on another host', [(start) => ({ next: `http://other.example/reactor-formulas?start=${start}` })]],
    [
      'at another path',
      [(start, host) => ({ link: `<http://${host}/reactor-formulas?start=${start}>; rel=next` }), '/v1'],
    ],
  ])('%s is incomplete, and nothing that depends on an absent name is created', async (_, how) => {
    const formulary = await service(...how);
    const listed = await formulary('list', '--json');
    expect(listed).toMatchObject(exitsWith(0, 'which is not followed'));
    expect(JSON.parse(listed.out)).toHaveLength(SIZE);
    const tree = folderWith(inFolder('card', cardFiles()));
    for (const words of [
      ['create', `${tree}/card`],
      ['create', `${tree}/card`, '--dry-run'],
      ['update', `${tree}/card`],
      ['get', CARD_MANIFEST.name],
      ['push', tree],
      ['diff', tree],
    ]) {
      expect(await formulary(...words)).toMatchObject(exitsWith(8, 'which is not followed'));
    }
    expect(formulary.requests.every(({ method }) => method === 'GET')).toBe(true);
  });
});
