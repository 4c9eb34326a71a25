/** The limit of what is kept of a list. */
import { describe, expect, it } from 'vitest';
import { createServiceClient } from '../../src/api/client.ts';
import { listFormulas } from '../../src/api/formula-reads.ts';
import { createContentBudget } from '../../src/sync/pull/select-formulas.ts';

describe('a list', () => {
  /** A service with an unlimited or large number of pages of one formula. */
  const endless = (formula: object, total_items?: number) => {
    let pages = 0;
    const exchange = async () => {
      pages++;
      const data = [{ id: `${pages}`, name: 'a', ...formula }];
      const body = Buffer.from(JSON.stringify({ data, pagination: { total_items } }));
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    };
    const retryContext = {
      budgetMs: 1000,
      now: () => new Date(0),
      sleep: async () => undefined,
      random: () => 0,
      warn: () => undefined,
    };
    return createServiceClient(exchange, 'http://localhost', retryContext);
  };

  it('whose code takes more than 512 MiB is rejected, with the number', async () => {
    await expect(listFormulas(endless({ code: 'x'.repeat(20_000_000) }))).rejects.toMatchObject({
      outcome: 'failed',
      message: 'could not list the formulas: the first 27 take more than 512 MiB, the limit of a list',
    });
  });

  it('may have more code than that if only names are needed', async () => {
    const { items } = await listFormulas(endless({ code: 'x'.repeat(10_000_000) }, 60), { needsContent: () => false });
    expect(items).toHaveLength(60);
  });

  it('may have more code than that in a pull, which reads the rest again', async () => {
    const needsContent = createContentBudget();
    const { items } = await listFormulas(endless({ code: 'x'.repeat(20_000_000) }, 30), { needsContent });
    expect(items.filter(({ code }) => code != null)).toHaveLength(6);
  });
});
