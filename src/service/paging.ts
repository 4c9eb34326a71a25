/** Pagination: the query parameters `page` and `size`, and the `pagination` object of a response. */
import { type FieldErrors, invalidRequestProblem } from './problem.ts';

export interface Paging {
  /** From 1. */
  page: number;
  size: number;
}

const DEFAULT_SIZE = 20;
const MAX_SIZE = 100;

/** @throws HttpProblem 400 for values that are not integers in range, or repeated. */
export function parsePaging(query: URLSearchParams): Paging {
  const errors: FieldErrors = {};
  const read = (name: string, fallback: number, max: number, range: string): number => {
    const [text, ...more] = query.getAll(name);
    if (text === undefined) return fallback;
    const value = /^\d+$/.test(text) && more.length === 0 ? Number(text) : 0;
    if (value < 1 || value > max) errors[name] = [`must be one integer ${range}`];
    return value;
  };
  const page = read('page', 1, Number.MAX_SAFE_INTEGER, 'of 1 or more');
  const size = read('size', DEFAULT_SIZE, MAX_SIZE, `from 1 to ${MAX_SIZE}`);
  if (Object.keys(errors).length > 0) throw invalidRequestProblem(errors);
  return { page, size };
}

/** The `pagination` object for a page of a list of `total` items. */
export function toPagination(total: number, { page, size }: Paging) {
  return { total_items: total, page_number: page, page_size: size, total_pages: Math.ceil(total / size) };
}
