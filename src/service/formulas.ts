/** The operations on formulas (spec 4.2 to 4.6); permissions were checked before. */
import { randomId } from '../text/hash.ts';
import { isUuid } from '../text/uuid.ts';
import { createNameSearch } from '../text/wildcard.ts';
import { parseFormulaBody, type ValidatedBody } from './formula-body.ts';
import type { Paging } from './paging.ts';
import { HttpProblem } from './problem.ts';
import type { Store, StoredFormula, StoredFormulaPage } from './store/store.ts';
import { formatIsoWithOffset } from './times.ts';

export interface Author {
  id: string;
  name: string;
  now: Date;
}

type FormulaInput = Record<string, unknown>;

/**
 * Returns the new formula without `modified_*` (spec 2.3 rule 1).
 * @throws HttpProblem 400, or 403 for an official one.
 */
export function createFormula(store: Store, input: FormulaInput, author: Author) {
  const body = parsePrivateBody(input);
  const created = { created_at: formatIsoWithOffset(author.now), created_by: author.id };
  const formula: StoredFormula = {
    ...toStoredFields(randomId(), body),
    ...created,
    modified_at: null,
    modified_by: null,
  };
  store.formulas.insert(formula);
  const { modified_at: _at, modified_by: _by, ...response } = formula;
  return response;
}

/** One page of the formulas, or of those whose name matches the wildcard search. */
export function listFormulas(store: Store, name: string | undefined, { page, size }: Paging): StoredFormulaPage {
  return store.formulas.list(name === undefined ? undefined : createNameSearch(name), page, size);
}

/** @throws HttpProblem 404, also for an id that is not a UUID. */
export function getFormula(store: Store, id: string): StoredFormula {
  const formula = isUuid(id) ? store.formulas.get(id.toLowerCase()) : undefined;
  if (!formula) throw notFoundProblem(id);
  return formula;
}

/**
 * Replaces all fields but id and `created_*`: what the body omits is cleared.
 * @throws HttpProblem 400, 403 for an official one, 404.
 */
export function updateFormula(store: Store, id: string, input: FormulaInput, author: Author): StoredFormula {
  const old = getFormula(store, id);
  if (old.type === 'official') throw officialFormulaProblem();
  const body = parsePrivateBody(input);
  const formula: StoredFormula = {
    ...toStoredFields(old.id, body),
    created_at: old.created_at,
    created_by: old.created_by,
    modified_at: formatIsoWithOffset(author.now),
    modified_by: author.id,
    modified_by_name: author.name,
  };
  // Another process may have deleted it since.
  if (!store.formulas.replace(formula)) throw notFoundProblem(id);
  return formula;
}

/** @throws HttpProblem 403 for an official one, 404. */
export function deleteFormula(store: Store, id: string): void {
  const old = getFormula(store, id);
  if (old.type === 'official') throw officialFormulaProblem();
  if (!store.formulas.remove(old.id)) throw notFoundProblem(id);
}

/** The fields from `id` to `request_parameters`, in the order of spec 2.3. */
function toStoredFields(id: string, { name, description, type, ...others }: ValidatedBody) {
  const status = others.code === '' ? ('coming_soon' as const) : ('verified' as const);
  return { id, name, description, type, status, ...others };
}

function parsePrivateBody(input: FormulaInput): ValidatedBody {
  const body = parseFormulaBody(input);
  if (body.type === 'official') throw officialFormulaProblem();
  return body;
}

function officialFormulaProblem(): HttpProblem {
  return new HttpProblem(
    403,
    'Only the service operator can create and change official formulas; use the type private.',
  );
}

function notFoundProblem(id: string): HttpProblem {
  return new HttpProblem(404, `No reactor formula has the id ${id}.`);
}
