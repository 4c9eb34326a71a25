import { describe, expect, it } from 'vitest';
import { collectPages, type Page } from '../../src/api/pages.ts';

interface Item {
  id: string;
}

const items = (from: number, count: number): Item[] => Array.from({ length: count }, (_, i) => ({ id: `${from + i}` }));

/** What services do about paging, and how many items and requests that must come to. */
const SERVICES: [string, (page: number) => Page<Item>, number, number][] = [
  ['nothing at all', () => ({ items: [], totalPages: 0 }), 0, 1],
  ['one page', () => ({ items: items(0, 3), totalPages: 1 }), 3, 1],
  ['three pages with totals', (page) => ({ items: items(page * 100, page < 3 ? 100 : 5), totalPages: 3 }), 205, 3],
  ['pages without totals', (page) => ({ items: items(page * 100, page < 3 ? 100 : 5), totalPages: undefined }), 205, 3],
  [
    'small pages without totals',
    (page) => ({ items: page < 4 ? items(page * 20, 20) : [], totalPages: undefined }),
    20 + 20,
    2,
  ],
  ['every page is page 1', () => ({ items: items(0, 20), totalPages: 3 }), 20, 2],
  ['the last page is empty', (page) => ({ items: page < 3 ? items(page * 20, 20) : [], totalPages: 3 }), 40, 3],
  ['pages that overlap', (page) => ({ items: items(page * 19, 20), totalPages: 3 }), 58, 3],
];

describe('a list is complete and ends', () => {
  it.each(SERVICES)('with %s', async (_, page, count, requests) => {
    let asked = 0;
    const found = await collectPages(
      () => undefined,
      async (number) => {
        asked++;
        return page(number);
      },
    );
    expect(new Set(found.map(({ id }) => id)).size).toBe(count);
    expect(found).toHaveLength(count);
    expect(asked).toBe(requests);
  });

  it('with a warning when the service repeats a page', async () => {
    const said: string[] = [];
    const page = { items: items(0, 20), totalPages: 3 };
    await collectPages(
      (text) => void said.push(text),
      async () => page,
    );
    expect(said).toEqual([expect.stringContaining('repeats a page')]);
  });
});
