/** Reading reactor formulas (spec 4.3 and 4.4). */
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import type { ServiceClient } from './client.ts';
import { idMismatchMessage, isFormula, parseFormulaPage } from './formula-guards.ts';
import { packCode } from './pack-code.ts';
import { collectPages, type ListResult, type Page } from './pagination.ts';

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
  /** Receives warnings about the list (default: stderr). */
  warn?: (text: string) => void;
}

/**
 * The memory limit of a list; with the response that is being read it stays below 1 GiB. 10,000 formulas of 50 KB take two
 * thirds of it.
 */
const MAX_MEMORY = 704 * 1024 * 1024;
const TOO_LARGE = {
  problem: `the formulas of the list must take at most ${MAX_MEMORY / 2 ** 20} MiB of memory in total`,
};

/** Lists all formulas, official and private. */
export function listFormulas(
  client: ServiceClient,
  { name, description = 'list the formulas', needsContent = () => true, reduce, warn = client.warn }: ListOptions = {},
): Promise<ListResult<Formula>> {
  const reduceFormula = reduce ?? ((one: Formula) => (needsContent(one) ? one : withoutContent(one)));
  let left = MAX_MEMORY;
  const reducePage = (page: Page<Formula>, memory: number): Page<Formula> => {
    left -= memory;
    const items = page.items.map((one) => {
      const { formula, saved } = shrink(one, reduceFormula(one));
      left += saved;
      return formula;
    });
    return { ...page, items };
  };
  return collectPages(warn, async ({ number, size, query }) => {
    try {
      return await client.send({
        method: 'GET',
        description,
        permission: 'reactor:read',
        path: [FORMULAS_PATH],
        query: query ?? { name, page: String(number), size: String(size) },
        memoryLimit: { memory: left, ...TOO_LARGE },
        decode: (body, headers, url, memory) => {
          const page = parseFormulaPage(body, headers, url);
          return page && reducePage(page, memory);
        },
      });
    } catch (error) {
      const isMissing = number > 1 && error instanceof CliError && error.status === 404;
      if (!isMissing) throw error;
      // Some services return 404 after the last page, but not for a page that they named.
      return query === undefined ? EMPTY_PAGE : { ...EMPTY_PAGE, next: { query } };
    }
  });
}

/** Removes code and icon. */
export const withoutContent = (formula: Formula): Formula => ({ ...formula, code: null, icon: null });

/** Reduces the memory of a formula; `saved` as in `packCode`. */
function shrink(formula: Formula, reduced: Formula): { formula: Formula; saved: number } {
  if (reduced.code === formula.code && reduced.icon === formula.icon) return packCode(reduced);
  return { formula: reduced, saved: 2 * (contentLength(formula) - contentLength(reduced)) };
}

const contentLength = ({ code, icon }: Formula) => (code?.length ?? 0) + (icon?.length ?? 0);

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
