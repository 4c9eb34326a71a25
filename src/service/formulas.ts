/** The operations on formulas (spec 4.2 to 4.6), for an application that has shown its permission. */
import { randomId } from '../text/hash.ts';
import { type CheckedBody, checkFormulaBody } from './formula-body.ts';
import { nameSearch } from './name-search.ts';
import type { Paging } from './paging.ts';
import { invalid, Problem } from './problem.ts';
import type { FormulaPage, Store, StoredFormula } from './store/store.ts';
import { isoWithOffset } from './times.ts';

/** Who writes, and when. */
export interface Author {
  id: string;
  now: Date;
}

type Sent = Record<string, unknown>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The new formula, without `modified_*` (spec 2.3 rule 1).
 * @throws Problem 400, or 403 for an official one.
 */
export function createFormula(store: Store, sent: Sent, author: Author) {
  const body = privateBody(sent);
  const created = { created_at: isoWithOffset(author.now), created_by: author.id };
  const formula: StoredFormula = { ...fields(randomId(), body), ...created, modified_at: null, modified_by: null };
  store.formulas.insert(formula);
  const { modified_at: _at, modified_by: _by, ...answer } = formula;
  return answer;
}

/** One page of the formulas whose name matches the wildcard search; of all without one. */
export function listFormulas(store: Store, name: string | undefined, { page, size }: Paging): FormulaPage {
  return store.formulas.list(name === undefined ? undefined : nameSearch(name), page, size);
}

/** @throws Problem 404, also for an id that is no UUID. */
export function getFormula(store: Store, id: string): StoredFormula {
  const formula = UUID.test(id) ? store.formulas.get(id.toLowerCase()) : undefined;
  if (!formula) throw notFound(id);
  return formula;
}

/**
 * Replaces the whole formula but for its id and origin: what the body leaves out is cleared.
 * @throws Problem 400, 403 for an official one, 404.
 */
export function updateFormula(store: Store, id: string, sent: Sent, author: Author): StoredFormula {
  const old = getFormula(store, id);
  if (old.type === 'official') throw officialRefused();
  const body = privateBody(sent);
  const formula: StoredFormula = {
    ...fields(old.id, body),
    created_at: old.created_at,
    created_by: old.created_by,
    modified_at: isoWithOffset(author.now),
    modified_by: author.id,
  };
  // Another process may have deleted it since it was read.
  if (!store.formulas.replace(formula)) throw notFound(id);
  return formula;
}

/** @throws Problem 403 for an official one, 404. */
export function deleteFormula(store: Store, id: string): void {
  const old = getFormula(store, id);
  if (old.type === 'official') throw officialRefused();
  if (!store.formulas.remove(old.id)) throw notFound(id);
}

/** The fields from `id` to `request_parameters`, in the order of spec 2.3. */
function fields(id: string, body: CheckedBody) {
  return {
    id,
    name: body.name,
    description: body.description,
    type: body.type,
    status: body.code === '' ? ('coming_soon' as const) : ('verified' as const),
    icon: body.icon,
    code: body.code,
    configuration: body.configuration,
    request_parameters: body.request_parameters,
  };
}

function privateBody(sent: Sent): CheckedBody {
  const checked = checkFormulaBody(sent);
  if ('errors' in checked) throw invalid(checked.errors);
  if (checked.body.type === 'official') throw officialRefused();
  return checked.body;
}

function officialRefused(): Problem {
  return new Problem(
    403,
    'Official formulas are made and changed by the service operator only; yours have the type private.',
  );
}

function notFound(id: string): Problem {
  return new Problem(404, `There is no reactor formula with the id ${id}.`);
}
