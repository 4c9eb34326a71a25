/** The embedded service without a network: `--local` asks it in process. */
import { CliError } from '../errors.ts';
import { OPERATIONS } from './operations.ts';
import { Problem, problemAnswer } from './problem.ts';
import { jsonObject } from './request-body.ts';
import { HEARING, patiently } from './store/libsql.ts';
import { openStore, openStoreToRead, type Store } from './store/store.ts';

/** Who `created_by` and `modified_by` name for what was written with `--local`; no application of the store. */
export const LOCAL_APPLICATION_ID = '00000000-0000-4000-8000-000000000000';

/** A request as it would go out over HTTP. */
export interface LocalRequest {
  method: string;
  /** Path and query, encoded. */
  path: string;
  /** JSON. */
  body: string | undefined;
}

export interface LocalAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface LocalService {
  answer(request: LocalRequest): Promise<LocalAnswer>;
  close(): Promise<void>;
}

/**
 * Answers requests from the data file with all reactor permissions; no key is looked at. The file is opened when it is
 * first needed, and made by a request that writes; one that reads needs no file, and leaves none.
 * A request rejects with CliError if libsql is not installed or the file cannot be used.
 */
export function openLocal(file: string, stopping?: AbortSignal): LocalService {
  let reading: Promise<Store> | undefined;
  let writing: Promise<Store> | undefined;
  const opened = (isWrite: boolean): Promise<Store> => {
    if (isWrite) writing ??= openStore(file, { ...HEARING, stopping });
    if (writing) return writing;
    reading ??= openStoreToRead(file, { ...HEARING, stopping });
    return reading;
  };
  return {
    answer: async (request) => {
      const store = await opened(request.method !== 'GET');
      return patiently(() => answerFrom(store, request), stopping);
    },
    close: async () => {
      for (const one of [reading, writing]) (await one)?.close();
    },
  };
}

function answerFrom(store: Store, { method, path, body = '' }: LocalRequest): LocalAnswer {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  try {
    const [operation, id] = operationAt(method, pathname);
    const author = { id: LOCAL_APPLICATION_ID, now: new Date() };
    const sent = /^P/.test(method) ? jsonObject(body) : {};
    const { status, value } = operation.run(store, { id, query: searchParams, body: sent, author });
    return answerOf(status, { 'content-type': 'application/json' }, value);
  } catch (error) {
    // There is no need to say it in HTTP: the user hears of the data file itself.
    if (error instanceof CliError) throw error;
    const { status, headers, document } = problemAnswer(error, pathname);
    return answerOf(status, headers, document);
  }
}

/** The operation that is asked for, and what stands for `:id`. */
function operationAt(method: string, pathname: string) {
  const [, collection, id, ...more] = pathname.split('/');
  const path = [`/${collection}`, ...(id === undefined ? [] : [':id']), ...more].join('/');
  const operation = OPERATIONS.find((one) => one.method === method && one.path === path);
  if (!operation) throw new Problem(404, 'There is nothing at this path.');
  return [operation, decodeURIComponent(id ?? '')] as const;
}

const answerOf = (status: number, headers: Record<string, string>, value: object | undefined): LocalAnswer => ({
  status,
  headers,
  body: Buffer.from(value === undefined ? '' : JSON.stringify(value)),
});
