import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NextPage } from '../../src/api/next-page.ts';
import { collectPages, type Page, type PageRequest } from '../../src/api/pagination.ts';
import { runs } from '../helpers/runs.ts';

interface Item {
  id: string;
}

const items = (from: number, count: number): Item[] =>
  Array.from({ length: Math.max(0, count) }, (_, i) => ({ id: `${from + i}` }));

/** The page of a service that has `total` items and gives at most `size` of them. */
const slice = (page: number, size: number, total: number) =>
  items((page - 1) * size, Math.min(size, total - (page - 1) * size));

type Answer = (page: number, query: string | undefined) => Partial<Page<Item>>;

async function collected(answer: Answer, concurrency?: number) {
  let requests = 0;
  const found = await collectPages(async (request): Promise<Page<Item>> => {
    requests++;
    return {
      items: [],
      totalPages: undefined,
      totalItems: undefined,
      next: undefined,
      ...answer(request.number, request.query),
    };
  }, concurrency);
  expect(new Set(found.items.map(({ id }) => id)).size).toBe(found.items.length);
  return {
    count: found.items.length,
    isComplete: found.incompleteReason === undefined,
    requests,
    reason: found.incompleteReason,
  };
}

describe('a list is complete and finite', () => {
  /** A service that knows no page numbers, only a cursor: the number of the first item. */
  const cursor =
    (total: number, findNext: (start: number) => NextPage | undefined): Answer =>
    (_, query) => {
      const start = Number(query ?? 0);
      return { items: items(start, Math.min(3, total - start)), next: findNext(start + 3) };
    };
  const query = (start: number) => ({ query: `${start}` });
  const next = { foreignUrl: 'https://other.example/' };

  it.each<[string, Answer, number, number]>([
    ['nothing at all', () => ({ totalPages: 0, totalItems: 0 }), 0, 1],
    ['nothing, and no totals', () => ({}), 0, 1],
    ['one page and both totals', () => ({ items: items(0, 3), totalPages: 1, totalItems: 3 }), 3, 1],
    ['both totals', (page) => ({ items: slice(page, 100, 205), totalPages: 3, totalItems: 205 }), 205, 3],
    ['a page count alone', (page) => ({ items: slice(page, 100, 205), totalPages: 3 }), 205, 4],
    ['an item count alone', (page) => ({ items: slice(page, 100, 205), totalItems: 205 }), 205, 3],
    ['no totals', (page) => ({ items: slice(page, 100, 205) }), 205, 4],
    ['no totals and full pages only', (page) => ({ items: slice(page, 100, 200) }), 200, 3],
    ['pages smaller than asked, and no totals', (page) => ({ items: slice(page, 20, 230) }), 230, 13],
    ['small pages, and an item count', (page) => ({ items: slice(page, 20, 230), totalItems: 230 }), 230, 12],
    ['a page count for the size that was asked', (page) => ({ items: slice(page, 20, 230), totalPages: 3 }), 230, 13],
    ['a page count of 0', (page) => ({ items: slice(page, 100, 230), totalPages: 0 }), 230, 4],
    ['a page count of 1', (page) => ({ items: slice(page, 100, 230), totalPages: 1 }), 230, 4],
    ['the number of the page for a page count', (page) => ({ items: slice(page, 100, 230), totalPages: page }), 230, 4],
    ['the length of the page for an item count', (page) => ({ items: slice(page, 20, 50), totalItems: 20 }), 50, 4],
    ['the whole list on every page', () => ({ items: items(0, 130) }), 130, 2],
    ['an empty page in the middle', (page) => ({ items: page === 2 ? [] : slice(page, 20, 60), totalPages: 3 }), 40, 4],
    ['an empty page at the end', (page) => ({ items: slice(page, 20, 40), totalPages: 3 }), 40, 3],
    ['pages that overlap', (page) => ({ items: page < 4 ? items(page * 19, 20) : [], totalPages: 3 }), 58, 4],
    ['totals on page 1 only', (page) => ({ items: slice(page, 20, 50), ...(page === 1 && { totalItems: 50 }) }), 50, 3],
    ['a cursor', cursor(7, (start) => (start < 7 ? query(start) : undefined)), 7, 3],
    ['a cursor to an empty page', cursor(6, (start) => (start <= 6 ? query(start) : undefined)), 6, 3],
    ['a cursor on each page, and a count', (...asked) => ({ ...cursor(6, query)(...asked), totalItems: 6 }), 6, 3],
    [
      'a next that the service does not understand, and page numbers',
      (page, start) =>
        start === undefined
          ? { items: slice(page, 3, 7), ...(page < 3 && { next: query(3) }) }
          : { items: items(0, 3) },
      7,
      6,
    ],
    ['a next elsewhere, and pages', (page) => ({ items: slice(page, 3, 7), ...(page < 3 && { next }) }), 7, 4],
    ['a next elsewhere, and totals', () => ({ items: items(0, 3), next, totalPages: 1, totalItems: 3 }), 3, 1],
  ])('with %s', async (_, answer, count, requests) => {
    expect(await collected(answer)).toEqual({ count, requests, isComplete: true });
  });

  const TWICE = /returned page \d+ twice/;

  it.each<[string, Answer, number, number, RegExp]>([
    ['every page is page 1', () => ({ items: items(0, 20), totalPages: 3, totalItems: 60 }), 20, 3, TWICE],
    ['page 1 for ever, of a million', () => ({ items: items(0, 20), totalPages: 1e6 }), 20, 4, TWICE],
    ['every page is page 1 of a count', () => ({ items: items(0, 20), totalItems: 60 }), 20, 4, TWICE],
    ['empty pages of a million', () => ({ totalPages: 1e6, totalItems: 20e6 }), 0, 3, /reports 20000000 .* returned 0/],
    ['one item never', (page) => ({ items: slice(page, 20, 40), totalPages: 3, totalItems: 41 }), 40, 3, /reports 41/],
    ['a new page in front each time', (page) => ({ items: items(0, 20), totalPages: page + 2 }), 20, 4, TWICE],
    ['a next elsewhere', () => ({ items: items(0, 3), next }), 3, 4, /continues .*other\.example.*not followed/],
    ['a next elsewhere alone', (page) => (page === 1 ? { items: items(0, 3), next } : {}), 3, 4, /not followed/],
    ['a cursor that always points to the start', (page) => cursor(3, () => query(0))(page, '0'), 3, 4, TWICE],
    [
      'two cursors that point to each other',
      (_, start) => (start === '3' ? { items: items(3, 3), next: query(0) } : { items: items(0, 3), next: query(3) }),
      6,
      5,
      TWICE,
    ],
    ['a cursor to nothing, on every page', cursor(6, query), 6, 5, /returned page \d+ twice|the next page is empty/],
  ])('as far as the service returns it, with a warning: %s', async (_, answer, count, requests, words) => {
    const found = await collected(answer);
    expect(found).toMatchObject({ count, requests, isComplete: false });
    expect(found.reason).toMatch(words);
  });

  it('with an error if every page has a cursor and new items forever', async () => {
    const growing: Answer = (_, start) => ({
      items: items(Number(start ?? 0), 1),
      next: query(Number(start ?? 0) + 1),
    });
    await expect(collected(growing)).rejects.toMatchObject({ outcome: 'unavailable' });
  });

  it('with an error if every page has new items forever', async () => {
    await expect(collected((page) => ({ items: items(page, 1) }))).rejects.toMatchObject({ outcome: 'unavailable' });
  });

  it('for any number of items, any page size, and any correct or missing totals', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(300),
        fc.integer({ min: 1, max: 120 }),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(1, 2, 16),
        async (total, size, hasPages, hasItems, concurrency) => {
          const answer: Answer = (page) => ({
            items: slice(page, size, total),
            totalPages: hasPages ? Math.ceil(total / size) : undefined,
            totalItems: hasItems ? total : undefined,
          });
          const { count, isComplete } = await collected(answer, concurrency);
          expect({ count, isComplete }).toEqual({ count: total, isComplete: true });
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it.each<[number, number, Partial<Page<Item>>]>([
    [4, 16, { totalPages: 10, totalItems: 950 }],
    [2, 2, { totalPages: 10, totalItems: 950 }],
    [1, 1, { totalPages: 10, totalItems: 950 }],
    [1, 16, { totalPages: 10 }],
    [1, 16, { totalItems: 950 }],
    [1, 16, { totalPages: 19, totalItems: 950 }],
  ])('with %i requests at a time over %i connections, if the totals are %j', async (together, concurrency, totals) => {
    let [running, most] = [0, 0];
    const fetchPage = async ({ number }: PageRequest): Promise<Page<Item>> => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      const all = { items: slice(number, 100, 950), totalPages: undefined, totalItems: undefined, next: undefined };
      return { ...all, ...totals };
    };
    expect((await collectPages(fetchPage, concurrency)).items).toEqual(items(0, 950));
    expect(most).toBe(together);
  });
});
