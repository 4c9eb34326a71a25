/** The operations on reactor formulas (spec 4.2 to 4.6). */
import { changedFields } from '../content.ts';
import { CliError } from '../errors.ts';
import type { Formula, FormulaBody } from '../model.ts';
import type { Call, Send } from './client.ts';
import { collectPages, type Page } from './pages.ts';

const PATH = 'reactor-formulas';

/** Every formula, official and private, of all pages; `name` is the service's own wildcard search. */
export function listFormulas(send: Send, name?: string): Promise<Formula[]> {
  return collectPages(send.warn, (page, size) =>
    send({
      method: 'GET',
      doing: 'list the formulas',
      permission: 'reactor:read',
      path: [PATH],
      query: { name, page: String(page), size: String(size) },
      read: pageOf,
    }),
  );
}

/** Asks for as little as proves that the key may read formulas. Raises denied when it may not. */
export function checkReading(send: Send): Promise<true> {
  return send({
    method: 'GET',
    doing: 'read with this API key',
    permission: 'reactor:read',
    path: [PATH],
    query: { page: '1', size: '1' },
    read: (body) => (pageOf(body) ? true : undefined),
  });
}

/** One formula. Raises not_found for an id that is not there. */
export function getFormula(send: Send, id: string): Promise<Formula> {
  return send({
    method: 'GET',
    doing: `get the formula ${id}`,
    permission: 'reactor:read',
    path: [PATH, id],
    read: (body) => (isFormula(body) && sameId(body.id, id) ? body : undefined),
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

/**
 * Creates a formula and gives it as the service answered. When the answer is lost or says nothing, a look at the list
 * tells whether it was made: the one formula of this content that is not among `known` (the ids before). Raises
 * unavailable when it was not made, unknown when that cannot be told.
 */
export async function createFormula(send: Send, body: FormulaBody, known: ReadonlySet<string>): Promise<Formula> {
  try {
    return await send({
      ...createCall(body),
      doing: `create the formula "${body.name}"`,
      permission: 'reactor:create',
      check: 'formulary formula list',
      read: (answer) => (isFormula(answer) ? answer : undefined),
    });
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'unknown') throw error;
    return lookForCreated(send, body, known, error);
  }
}

async function lookForCreated(
  send: Send,
  body: FormulaBody,
  known: ReadonlySet<string>,
  lost: CliError,
): Promise<Formula> {
  const listed = await listFormulas(send).catch(() => undefined);
  const made = listed?.filter((formula) => !known.has(formula.id) && changedFields(body, formula).length === 0) ?? [];
  const [formula] = made;
  if (formula && made.length === 1) {
    send.warn(`the answer to the create was of no use, but a look shows that it was done: ${formula.id}`);
    return formula;
  }
  if (listed && made.length === 0 && (lost.status ?? 0) >= 500) {
    throw new CliError('unavailable', `${lost.message}; a look shows that it was not done`, {
      ...lost,
      cause: lost,
      hint: 'try again later',
    });
  }
  throw lost;
}

/** Replaces a formula. After an empty answer, a GET shows what is there now. */
export async function updateFormula(send: Send, id: string, body: FormulaBody): Promise<Formula> {
  const answer = await send({
    ...updateCall(id, body),
    doing: `update the formula ${id}`,
    permission: 'reactor:update',
    check: `formulary formula get ${id}`,
    read: (found) => (found === undefined ? 'empty' : isFormula(found) && sameId(found.id, id) ? found : undefined),
  });
  return answer === 'empty' ? getFormula(send, id) : answer;
}

/** Deletes a formula; whatever body a 2xx brings is fine. Raises not_found for an id that is not there. */
export async function deleteFormula(send: Send, id: string): Promise<void> {
  await send({
    method: 'DELETE',
    doing: `delete the formula ${id}`,
    permission: 'reactor:delete',
    check: `formulary formula get ${id}`,
    path: [PATH, id],
    read: () => true,
  });
}

type WriteCall = Pick<Call<unknown>, 'method' | 'path'> & { body: FormulaBody };

/** What a create sends. */
export const createCall = (body: FormulaBody): WriteCall => ({ method: 'POST', path: [PATH], body });

/** What an update sends. */
export const updateCall = (id: string, body: FormulaBody): WriteCall => ({ method: 'PUT', path: [PATH, id], body });

/** A word that names one formula on the command line: an id if it is a UUID, else the exact name. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Finds the formula that a word means. A name is compared by exact code points with the complete list and never
 * becomes part of a path. Raises not_found (5) for none, conflict (6) with the ids for several.
 */
export async function findFormula(send: Send, word: string): Promise<Formula> {
  if (UUID.test(word)) return getFormula(send, word);
  const matches = (await listFormulas(send)).filter(({ name }) => name === word);
  const [match, ...more] = matches;
  if (!match) {
    throw new CliError('not_found', `no formula has the name ${JSON.stringify(word)}`, {
      hint: 'names are compared exactly, case and all; formulary formula list shows them',
    });
  }
  if (more.length === 0) return match;
  const ids = matches.map(({ id }) => id);
  throw new CliError(
    'conflict',
    `${matches.length} formulas have the name ${JSON.stringify(word)}: ${ids.join(', ')}`,
    {
      hint: 'give the id instead',
      details: { ids },
    },
  );
}

function pageOf(body: unknown): Page<Formula> | undefined {
  const page = body as { data?: unknown; pagination?: { total_pages?: unknown } | null } | null | undefined;
  if (typeof page !== 'object' || page === null || !Array.isArray(page.data) || !page.data.every(isFormula))
    return undefined;
  const totalPages = page.pagination?.total_pages;
  return { items: page.data, totalPages: typeof totalPages === 'number' ? totalPages : undefined };
}

const TEXTS = ['description', 'type', 'status', 'icon', 'code'] as const;

/** A formula has an id and a name; of the rest, what is there and not null must have its type (spec 2.3). */
function isFormula(value: unknown): value is Formula {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const formula = value as Record<string, unknown>;
  return (
    typeof formula['id'] === 'string' &&
    formula['id'] !== '' &&
    typeof formula['name'] === 'string' &&
    TEXTS.every((key) => formula[key] == null || typeof formula[key] === 'string') &&
    ['configuration', 'request_parameters'].every((key) => formula[key] == null || Array.isArray(formula[key]))
  );
}

const sameId = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
