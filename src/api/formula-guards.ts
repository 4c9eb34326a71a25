/** What counts as a formula, and as a page of them, in an answer (spec 2.3, 4.3). Pure. */
import type { Formula } from '../model.ts';
import type { WireAnswer } from './http/http.ts';
import { nextPage } from './next-page.ts';
import type { Page } from './pagination.ts';

/** A page of the list at `url`; undefined for another shape. Totals that are not integers count as absent. */
export function formulaPage(body: unknown, headers: WireAnswer['headers'], url: URL): Page<Formula> | undefined {
  if (!isObject(body)) return undefined;
  const { data, pagination } = body;
  if (!Array.isArray(data) || !data.every(isFormula)) return undefined;
  const paging = isObject(pagination) ? pagination : {};
  return {
    items: data,
    totalPages: countOf(paging['total_pages']),
    totalItems: countOf(paging['total_items']),
    next: nextPage({ next: paging['next'], link: headers['link'] }, url),
  };
}

const TEXTS = ['description', 'type', 'status', 'icon', 'code'] as const;

/** A formula has an id and a name; of the rest, what is there and not null must have its type. */
export function isFormula(value: unknown): value is Formula {
  if (!isObject(value)) return false;
  const { id, name } = value;
  return (
    typeof id === 'string' &&
    id !== '' &&
    typeof name === 'string' &&
    TEXTS.every((key) => isNullOr('string', value[key])) &&
    isContract(value['configuration']) &&
    isContract(value['request_parameters'])
  );
}

function isContract(value: unknown): boolean {
  return value == null || (Array.isArray(value) && value.every(isElement));
}

function isElement(value: unknown): boolean {
  return (
    isObject(value) &&
    ['name', 'description', 'type'].every((key) => isNullOr('string', value[key])) &&
    isNullOr('boolean', value['optional'])
  );
}

/** Whether an id can stand in a path as it is; what is made under another one could not be asked for. */
export const isPlainId = (id: string): boolean => id.isWellFormed() && !/^\.*$|[/\\]/.test(id);

/** Ids are UUIDs, whose letters may come in either case. */
export const sameId = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** What speaks against a response with another formula than the requested one. */
export const otherId = ({ id }: Formula, requested: string): string | undefined =>
  sameId(id, requested) ? undefined : `the response is another formula: ${id}`;

const isNullOr = (type: 'string' | 'boolean', value: unknown) => value == null || typeof value === type;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const countOf = (value: unknown) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
