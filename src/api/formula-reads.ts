/** Reading reactor formulas (spec 4.3 and 4.4). */
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import type { ServiceClient } from './client.ts';
import { idMismatchMessage, isFormula, parseFormulaPage } from './formula-guards.ts';
import { collectPages, type ListResult, type Page, type PageRequest } from './pagination.ts';

export const FORMULAS_PATH = 'reactor-formulas';
const EMPTY_PAGE: Page<Formula> = { items: [], totalPages: undefined, totalItems: undefined, next: undefined };

interface ListOptions {
  /** The service's own wildcard search. */
  name?: string | undefined;
  /** Follows "could not" in messages. */
  description?: string;
  /** Whether the code and icon of a formula are needed; those of others are dropped as pages arrive. */
  needsContent?: (formula: Formula) => boolean;
  /** Removes unneeded fields of a formula as pages arrive. */
  reduce?: (formula: Formula) => Formula;
}

/** The limit of what is kept of a list; 10,000 formulas of 50 KB fit. */
const MAX_KEPT_BYTES = 512 * 1024 * 1024;

/** Lists all formulas, official and private. */
export function listFormulas(
  client: ServiceClient,
  { name, description = 'list the formulas', needsContent = () => true, reduce }: ListOptions = {},
): Promise<ListResult<Formula>> {
  const reduceFormula = reduce ?? ((one: Formula) => (needsContent(one) ? one : withoutContent(one)));
  let keptBytes = 0;
  let count = 0;
  const reducePage = (page: Page<Formula>): Page<Formula> => {
    const items = page.items.map(reduceFormula);
    count += items.length;
    keptBytes += measureBytes(items);
    if (keptBytes <= MAX_KEPT_BYTES) return { ...page, items };
    const message = `could not ${description}: the first ${count} take more than ${MAX_KEPT_BYTES / 2 ** 20} MiB, the limit of a list`;
    throw new CliError('failed', message);
  };
  const fetchPage = async ({ number, size, query }: PageRequest, signal: AbortSignal): Promise<Page<Formula>> => {
    try {
      return await client.send({
        method: 'GET',
        signal,
        description,
        permission: 'reactor:read',
        path: [FORMULAS_PATH],
        query: query ?? { name, page: String(number), size: String(size) },
        decode: (body, headers, url) => {
          const page = parseFormulaPage(body, headers, url);
          return page && reducePage(page);
        },
      });
    } catch (error) {
      const isMissing = number > 1 && error instanceof CliError && error.status === 404;
      if (!isMissing) throw error;
      // Some services return 404 after the last page, but not for a page that they named.
      return query === undefined ? EMPTY_PAGE : { ...EMPTY_PAGE, next: { query } };
    }
  };
  return collectPages(fetchPage, client.concurrency);
}

/** Removes code and icon. */
export const withoutContent = (formula: Formula): Formula => ({ ...formula, code: null, icon: null });

/** The size of all strings, and an estimate for what contains them. */
function measureBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, item) => sum + measureBytes(item), 64);
}

/** Checks with one small request that the key may read formulas. Raises denied otherwise. */
export function probeReadAccess(client: ServiceClient): Promise<true> {
  return client.send({
    method: 'GET',
    description: 'read with this API key',
    permission: 'reactor:read',
    path: [FORMULAS_PATH],
    query: { page: '1', size: '1' },
    decode: (body, headers, url) => (parseFormulaPage(body, headers, url) ? true : undefined),
  });
}

/** Raises not_found for an unknown id. */
export function getFormula(client: ServiceClient, id: string, description = 'get the formula'): Promise<Formula> {
  return client.send({
    method: 'GET',
    description,
    permission: 'reactor:read',
    path: [FORMULAS_PATH, id],
    decode: (body) => (isFormula(body) ? body : undefined),
    validate: (formula) => idMismatchMessage(formula, id),
  });
}

/** Finds a formula by id; undefined if it does not exist. */
export async function findFormulaById(client: ServiceClient, id: string): Promise<Formula | undefined> {
  try {
    return await getFormula(client, id);
  } catch (error) {
    if (error instanceof CliError && error.outcome === 'not_found') return undefined;
    throw error;
  }
}
