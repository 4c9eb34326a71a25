/** The embedded service in process, for `--local`. */
import { CliError } from '../errors.ts';
import { findOperation } from './operations.ts';
import { toProblemResponse } from './problem.ts';
import { parseJsonObject } from './request-body.ts';
import { retryWhileBusy, SHORT_WAIT } from './store/libsql.ts';
import { openStore, openStoreReadOnly, type Store } from './store/store.ts';

/** `created_by` and `modified_by` of writes with `--local`; not an application of the store. */
export const LOCAL_APPLICATION_ID = '00000000-0000-4000-8000-000000000000';

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

interface LocalService {
  handle(request: LocalRequest): Promise<LocalResponse>;
  close(): Promise<void>;
}

/**
 * Handles requests with all reactor permissions and without a key. The data file is opened by the first request, and
 * created by the first write; reads need no file and create none. A request rejects with CliError if libsql is not
 * installed or the file is unusable.
 */
export function openLocalService(file: string, abortSignal?: AbortSignal): LocalService {
  let reading: Promise<Store> | undefined;
  let writing: Promise<Store> | undefined;
  const getStore = (isWrite: boolean): Promise<Store> => {
    if (isWrite) writing ??= openStore(file, { ...SHORT_WAIT, abortSignal });
    if (writing) return writing;
    reading ??= openStoreReadOnly(file, { ...SHORT_WAIT, abortSignal });
    return reading;
  };
  return {
    handle: async (request) => {
      const store = await getStore(request.method !== 'GET');
      return retryWhileBusy(() => handleRequest(store, request), abortSignal);
    },
    close: async () => {
      for (const one of [reading, writing]) (await one)?.close();
    },
  };
}

function handleRequest(store: Store, { method, path, body = '' }: LocalRequest): LocalResponse {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  try {
    const { operation, id } = findOperation(method, pathname);
    const author = { id: LOCAL_APPLICATION_ID, name: '--local', now: new Date() };
    const parsedBody = /^P/.test(method) ? parseJsonObject(body) : {};
    const { status, value } = operation.run(store, { id, query: searchParams, body: parsedBody, author });
    return toLocalResponse(status, { 'content-type': 'application/json' }, value);
  } catch (error) {
    // An error of the data file is reported to the user as it is.
    if (error instanceof CliError) throw error;
    const { status, headers, document } = toProblemResponse(error, pathname);
    return toLocalResponse(status, headers, document);
  }
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
