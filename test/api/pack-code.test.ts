/** The memory of a list: codes are kept in few bytes, and a list that would take too much ends. */
import { describe, expect, it } from 'vitest';
import { createServiceClient } from '../../src/api/client.ts';
import { listFormulas } from '../../src/api/formula-reads.ts';
import { packCode } from '../../src/api/pack-code.ts';

describe('a packed formula', () => {
  it.each(['→'.repeat(2000), 'short', `${'x'.repeat(2000)}\ud800`, ''])('has the same code', (code) => {
    const formula = { id: '1', name: 'a', code };
    const { formula: kept } = packCode({ ...formula });
    expect(JSON.stringify(kept)).toBe(JSON.stringify(formula));
    expect({ ...kept }).toStrictEqual(formula);
  });
});

describe('a list', () => {
  /** A service with an unlimited or large number of pages of one formula. */
  const endless = (formula: object, total_items?: number) => {
    const asked = { pages: 0 };
    const exchange = async () => {
      asked.pages++;
      const data = [{ id: `${asked.pages}`, name: 'a', ...formula }];
      const body = Buffer.from(JSON.stringify({ data, pagination: { total_items } }));
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    };
    const world = {
      budgetMs: 1000,
      now: () => new Date(0),
      sleep: async () => undefined,
      random: () => 0,
      warn: () => undefined,
    };
    return { asked, client: createServiceClient(exchange, 'http://localhost', world) };
  };
  const names = Array.from({ length: 100_000 }, () => ({}));

  it('that is endless is rejected before it uses 1 GiB, with the limit', async () => {
    const { asked, client } = endless({ configuration: names });
    await expect(listFormulas(client)).rejects.toMatchObject({
      outcome: 'unavailable',
      message: expect.stringContaining('must take at most 704 MiB of memory in total'),
    });
    expect(asked.pages).toBe(17);
  });

  it('may have more code than that if only names are needed', async () => {
    const { client } = endless({ code: 'x'.repeat(10_000_000) }, 40);
    const { items } = await listFormulas(client, { needsContent: () => false });
    expect(items).toHaveLength(40);
  });
});
