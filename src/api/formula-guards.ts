/** Checks the shape of formulas and pages in responses (spec 2.3, 4.3). Pure. */
import { CONTENT_FIELDS, isElementsField } from '../formula-fields.ts';
import type { Formula } from '../model.ts';
import { isObject } from '../text/json-type.ts';
import type { HttpResponse } from './http/http.ts';
import { findNextPage } from './next-page.ts';
import type { Page } from './pagination.ts';

/** Parses a page of the list at `url`; undefined for a wrong shape. Totals that are not integers are ignored. */
export function parseFormulaPage(body: unknown, headers: HttpResponse['headers'], url: URL): Page<Formula> | undefined {
  if (!isObject(body)) return undefined;
  const { data, pagination } = body;
  if (!Array.isArray(data) || !data.every(isFormula)) return undefined;
  const paging = isObject(pagination) ? pagination : {};
  return {
    items: data,
    totalPages: toCount(paging['total_pages']),
    totalItems: toCount(paging['total_items']),
    next: findNextPage({ next: paging['next'], link: headers['link'] }, url),
  };
}

/** A formula needs an id and a name; other fields may be missing or null, otherwise they must have their type. */
export function isFormula(value: unknown): value is Formula {
  if (!isObject(value)) return false;
  const { id, name } = value;
  return (
    typeof id === 'string' &&
    id !== '' &&
    typeof name === 'string' &&
    isNullOr('string', value['status']) &&
    CONTENT_FIELDS.every((key) => (isElementsField(key) ? isElementList(value[key]) : isNullOr('string', value[key])))
  );
}

function isElementList(value: unknown): boolean {
  return value == null || (Array.isArray(value) && value.every(isElement));
}

function isElement(value: unknown): boolean {
  return (
    isObject(value) &&
    ['name', 'description', 'type'].every((key) => isNullOr('string', value[key])) &&
    isNullOr('boolean', value['optional'])
  );
}

/** Whether an id can be used in a URL path. */
export const isPathSafeId = (id: string): boolean => id.isWellFormed() && !/^\.*$|[/\\]/.test(id);

/** Compares UUIDs, which are case-insensitive. */
export const isSameId = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

export const idMismatchMessage = ({ id }: Formula, requested: string): string | undefined =>
  isSameId(id, requested) ? undefined : `the response is another formula: ${id}`;

const isNullOr = (type: 'string' | 'boolean', value: unknown) => value == null || typeof value === type;

const toCount = (value: unknown) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
