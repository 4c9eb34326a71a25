/** The embedded service in process, for `--local`. */
import { CliError } from '../errors.ts';
import { findOperation } from './operations.ts';
import { type ServiceResponse, toProblemResponse } from './problem.ts';
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

/**
 * Handles requests with all reactor permissions and without a key. The data file is opened by the first request, and
 * created by the first write; reads need no file and create none. A request rejects with CliError if libsql is not
 * installed or the file is unusable.
 */
export function openLocalService(file: string, abortSignal?: AbortSignal) {
  let reading: Promise<Store> | undefined;
  let writing: Promise<Store> | undefined;
  const getStore = (isWrite: boolean): Promise<Store> => {
    if (isWrite) writing ??= openStore(file, { ...SHORT_WAIT, abortSignal });
    if (writing) return writing;
    reading ??= openStoreReadOnly(file, { ...SHORT_WAIT, abortSignal });
    return reading;
  };
  return {
    handle: async (request: LocalRequest) => {
      const store = await getStore(request.method !== 'GET');
      const response = await retryWhileBusy(() => respond(store, request), abortSignal);
      const { status, headers: others, value } = response;
      const headers: Record<string, string> = { 'content-type': 'application/json', ...others };
      return { status, headers, body: Buffer.from(value === undefined ? '' : JSON.stringify(value)) };
    },
    close: async (): Promise<void> => {
      for (const one of [reading, writing]) (await one)?.close();
    },
  };
}

function respond(store: Store, { method, path, body = '' }: LocalRequest): ServiceResponse {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  try {
    const { operation, id } = findOperation(method, pathname);
    const author = { id: LOCAL_APPLICATION_ID, name: '--local', now: new Date() };
    const parsedBody = /^P/.test(method) ? parseJsonObject(body) : {};
    return operation.run(store, { id, query: searchParams, body: parsedBody, author });
  } catch (error) {
    // An error of the data file is reported to the user as it is.
    if (error instanceof CliError) throw error;
    return toProblemResponse(error, pathname);
  }
}
