import { describe, expect, it } from 'vitest';
import { createServiceClient } from '../../src/api/client.ts';
import { listFormulas } from '../../src/api/formula-reads.ts';
import type { HttpExchange } from '../../src/api/http/http.ts';
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

  it('ends with the first error: pages requested ahead are aborted, also while they wait after 429', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const exchange: HttpExchange = async ({ path, signal }) => {
      const number = Number(new URL(path, 'http://localhost').searchParams.get('page'));
      if (number > 2) signals.push(signal);
      const headers = { 'content-type': 'application/json', 'retry-after': '50' };
      const data = Array.from({ length: 100 }, (_, index) => ({ id: `${index}`, name: 'a', code: '' }));
      const body = Buffer.from(JSON.stringify({ data, pagination: { total_items: 950, total_pages: 10 } }));
      if (number === 3) await new Promise(() => undefined);
      if (number === 2) await new Promise(setImmediate);
      return { status: [200, 200, 403, 200, 429][number] ?? 200, headers, body };
    };
    const sleep = async (_: number, signal?: AbortSignal) => {
      signals.push(signal);
      await new Promise(() => undefined);
    };
    const context = { budgetMs: 99_000, now: () => new Date(0), sleep, random: () => 0, warn: () => undefined };
    const client = createServiceClient(exchange, 'http://localhost', { ...context, concurrency: 4 });
    await expect(listFormulas(client)).rejects.toMatchObject({ outcome: 'denied' });
    expect(signals.length).toBeGreaterThanOrEqual(3);
    expect(signals.map((signal) => signal?.aborted)).toEqual(signals.map(() => true));
  });

  it('may have more code than that in a pull, which reads the rest again', async () => {
    const needsContent = createContentBudget();
    const { items } = await listFormulas(endless({ code: 'x'.repeat(20_000_000) }, 30), { needsContent });
    expect(items.filter(({ code }) => code != null)).toHaveLength(6);
  });
});
