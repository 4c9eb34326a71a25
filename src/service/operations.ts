/** The operations of the service (spec 4.1 to 4.6), over HTTP and for `--local`. */
import { type Author, createFormula, deleteFormula, getFormula, listFormulas, updateFormula } from './formulas.ts';
import { parsePaging, toPagination } from './paging.ts';
import { filterPermissions } from './permissions.ts';
import { HttpProblem, invalidRequestProblem, type ServiceResponse } from './problem.ts';
import type { Store } from './store/store.ts';

interface OperationRequest {
  /** The `:id` of the path, or ''. */
  id: string;
  query: URLSearchParams;
  /** The body of POST and PUT, or {}. */
  body: Record<string, unknown>;
  author: Author;
}

interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: '/permissions' | '/reactor-formulas' | '/reactor-formulas/:id';
  /** The permission that the application needs. */
  permission?: string;
  /** @throws HttpProblem */
  run(store: Store, request: OperationRequest): ServiceResponse;
}

const OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/permissions',
    run: (_, { query }) => ({ status: 200, value: filterPermissions(getQueryParameter(query, 'application_type')) }),
  },
  {
    method: 'GET',
    path: '/reactor-formulas',
    permission: 'reactor:read',
    run: (store, { query }) => {
      const paging = parsePaging(query);
      const { total, formulas } = listFormulas(store, getQueryParameter(query, 'name'), paging);
      return { status: 200, value: { pagination: toPagination(total, paging), data: formulas } };
    },
  },
  {
    method: 'POST',
    path: '/reactor-formulas',
    permission: 'reactor:create',
    run: (store, { body, author }) => ({ status: 201, value: createFormula(store, body, author) }),
  },
  {
    method: 'GET',
    path: '/reactor-formulas/:id',
    permission: 'reactor:read',
    run: (store, { id }) => ({ status: 200, value: getFormula(store, id) }),
  },
  {
    method: 'PUT',
    path: '/reactor-formulas/:id',
    permission: 'reactor:update',
    run: (store, { id, body, author }) => ({ status: 200, value: updateFormula(store, id, body, author) }),
  },
  {
    method: 'DELETE',
    path: '/reactor-formulas/:id',
    permission: 'reactor:delete',
    run: (store, { id }) => {
      deleteFormula(store, id);
      return { status: 204 };
    },
  },
];

/**
 * The operation of a request, and the id in its path; HEAD is like GET.
 * @throws HttpProblem 404 for an unknown path, 405 for another method.
 */
export function findOperation(method: string, pathname: string): { operation: Operation; id: string } {
  const [, collection, id] = /^(\/[a-z-]+)(?:\/([^/]+))?\/?$/.exec(pathname) ?? [];
  const path = id === undefined ? collection : `${collection}/:id`;
  const candidates = OPERATIONS.filter((operation) => operation.path === path);
  if (candidates.length === 0) throw new HttpProblem(404, 'Nothing exists at this path.');
  const operation = candidates.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
  if (operation) return { operation, id: id ?? '' };
  const allow = candidates.map((one) => (one.method === 'GET' ? 'GET, HEAD' : one.method)).join(', ');
  throw new HttpProblem(405, `${method} is not allowed at this path, only ${allow}.`, { headers: { allow } });
}

/**
 * An empty query parameter counts as missing.
 * @throws HttpProblem 400 for a repeated one.
 */
function getQueryParameter(query: URLSearchParams, name: string): string | undefined {
  const [text, ...more] = query.getAll(name);
  if (more.length > 0) throw invalidRequestProblem({ [name]: ['must not be repeated'] });
  return text || undefined;
}
