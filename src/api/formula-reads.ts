/** Reading reactor formulas (spec 4.3 and 4.4). */
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import type { Send } from './client.ts';
import { formulaPage, isFormula, otherId } from './formula-guards.ts';
import { type Collected, collectPages, type Page } from './pagination.ts';

export const PATH = 'reactor-formulas';
const NO_PAGE: Page<Formula> = { items: [], totalPages: undefined, totalItems: undefined, next: undefined };

export interface ListOptions {
  /** The service's own wildcard search. */
  name?: string | undefined;
  /** What the list is for, in words that follow "could not". */
  doing?: string;
  /** Whether the code and the icon of a formula are needed; those of others are dropped as the pages come. */
  needsContent?: (formula: Formula) => boolean;
  /** Takes from each formula what is not needed, as the pages come. */
  reduce?: (formula: Formula) => Formula;
  /** Hears what is odd about the list; else the user does. */
  warn?: (text: string) => void;
}

/** Every formula, official and private, of all pages; `doubt` says why there may be more than the service shows. */
export function listFormulas(
  send: Send,
  { name, doing = 'list the formulas', needsContent = () => true, reduce, warn = send.warn }: ListOptions = {},
): Promise<Collected<Formula>> {
  const reduced = reduce ?? ((one: Formula) => (needsContent(one) ? one : withoutContent(one)));
  return collectPages(warn, async ({ number, size, query }) => {
    try {
      const found = await send({
        method: 'GET',
        doing,
        permission: 'reactor:read',
        path: [PATH],
        query: query ?? { name, page: String(number), size: String(size) },
        read: formulaPage,
      });
      return { ...found, items: found.items.map(reduced) };
    } catch (error) {
      const isMissing = number > 1 && error instanceof CliError && error.status === 404;
      if (!isMissing) throw error;
      // Some services respond like this after the last page; but not to a page that they named.
      return query === undefined ? NO_PAGE : { ...NO_PAGE, next: { query } };
    }
  });
}

/** A formula without its code and icon. */
export const withoutContent = (formula: Formula): Formula => ({ ...formula, code: null, icon: null });

/** Asks for as little as proves that the key may read formulas. Raises denied when it may not. */
export function checkReading(send: Send): Promise<true> {
  return send({
    method: 'GET',
    doing: 'read with this API key',
    permission: 'reactor:read',
    path: [PATH],
    query: { page: '1', size: '1' },
    read: (...response) => (formulaPage(...response) ? true : undefined),
  });
}

/** One formula. Raises not_found for an id that is not there. */
export function getFormula(send: Send, id: string, doing = 'get the formula'): Promise<Formula> {
  return send({
    method: 'GET',
    doing,
    permission: 'reactor:read',
    path: [PATH, id],
    read: (body) => (isFormula(body) ? body : undefined),
    doubt: (formula) => otherId(formula, id),
  });
}

/** The formula of an id, or undefined when there is none. */
export async function findFormulaById(send: Send, id: string): Promise<Formula | undefined> {
  try {
    return await getFormula(send, id);
  } catch (error) {
    if (error instanceof CliError && error.outcome === 'not_found') return undefined;
    throw error;
  }
}
