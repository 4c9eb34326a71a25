/** The embedded service without a network: `--local` asks it in process. */
import { CliError } from '../errors.ts';
import { OPERATIONS } from './operations.ts';
import { HttpProblem, toProblemResponse } from './problem.ts';
import { parseJsonObject } from './request-body.ts';
import { HEARING, retryWhileBusy } from './store/libsql.ts';
import { openStore, openStoreReadOnly, type Store } from './store/store.ts';

/** Who `created_by` and `modified_by` name for what was written with `--local`; no application of the store. */
export const LOCAL_APPLICATION_ID = '00000000-0000-4000-8000-000000000000';

/** A request as it would go out over HTTP. */
interface LocalRequest {
  method: string;
  /** Path and query, encoded. */
  path: string;
  /** JSON. */
  body: string | undefined;
}

interface LocalResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface LocalService {
  handle(request: LocalRequest): Promise<LocalResponse>;
  close(): Promise<void>;
}

/**
 * Answers requests from the data file with all reactor permissions; no key is looked at. The file is opened when it is
 * first needed, and made by a request that writes; one that reads needs no file, and leaves none.
 * A request rejects with CliError if libsql is not installed or the file cannot be used.
 */
export function openLocalService(file: string, stopping?: AbortSignal): LocalService {
  let reading: Promise<Store> | undefined;
  let writing: Promise<Store> | undefined;
  const getStore = (isWrite: boolean): Promise<Store> => {
    if (isWrite) writing ??= openStore(file, { ...HEARING, stopping });
    if (writing) return writing;
    reading ??= openStoreReadOnly(file, { ...HEARING, stopping });
    return reading;
  };
  return {
    handle: async (request) => {
      const store = await getStore(request.method !== 'GET');
      return retryWhileBusy(() => handleRequest(store, request), stopping);
    },
    close: async () => {
      for (const one of [reading, writing]) (await one)?.close();
    },
  };
}

function handleRequest(store: Store, { method, path, body = '' }: LocalRequest): LocalResponse {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  try {
    const [operation, id] = findOperation(method, pathname);
    const author = { id: LOCAL_APPLICATION_ID, now: new Date() };
    const parsedBody = /^P/.test(method) ? parseJsonObject(body) : {};
    const { status, value } = operation.run(store, { id, query: searchParams, body: parsedBody, author });
    return toLocalResponse(status, { 'content-type': 'application/json' }, value);
  } catch (error) {
    // There is no need to say it in HTTP: the user hears of the data file itself.
    if (error instanceof CliError) throw error;
    const { status, headers, document } = toProblemResponse(error, pathname);
    return toLocalResponse(status, headers, document);
  }
}

/** The operation that is asked for, and what stands for `:id`. */
function findOperation(method: string, pathname: string) {
  const [, collection, id, ...more] = pathname.split('/');
  const path = [`/${collection}`, ...(id === undefined ? [] : [':id']), ...more].join('/');
  const operation = OPERATIONS.find((one) => one.method === method && one.path === path);
  if (!operation) throw new HttpProblem(404, 'There is nothing at this path.');
  return [operation, decodeURIComponent(id ?? '')] as const;
}

const toLocalResponse = (
  status: number,
  headers: Record<string, string>,
  value: object | undefined,
): LocalResponse => ({
  status,
  headers,
  body: Buffer.from(value === undefined ? '' : JSON.stringify(value)),
});
