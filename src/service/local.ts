/** The embedded service without a network: `--local` asks it in process. */
import { createApp } from './app.ts';
import { type Application, openStore, openStoreToRead, type Store } from './store.ts';

/** Who `created_by` and `modified_by` name for what was written with `--local`; no application of the store. */
export const LOCAL_APPLICATION_ID = '00000000-0000-4000-8000-000000000000';

const LOCAL_APPLICATION: Application = {
  id: LOCAL_APPLICATION_ID,
  name: 'local',
  type: 'management',
  permissions: ['reactor:read', 'reactor:create', 'reactor:update', 'reactor:delete'],
  created_at: '1970-01-01T00:00:00.000+00:00',
};

export interface LocalService {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Answers requests from the data file with all reactor permissions; no key is looked at. The file is opened when it is
 * first needed, and made by a request that writes; one that reads needs no file, and leaves none.
 * A request rejects with CliError if libsql is not installed or the file cannot be used.
 */
export function openLocal(file: string): LocalService {
  let reading: Promise<Opened> | undefined;
  let writing: Promise<Opened> | undefined;
  const opened = (isWrite: boolean): Promise<Opened> => {
    if (isWrite) writing ??= openStore(file).then(withApp);
    if (writing) return writing;
    reading ??= openStoreToRead(file).then(withApp);
    return reading;
  };
  return {
    fetch: async (request) => {
      const { app } = await opened(!/^(GET|HEAD)$/.test(request.method));
      return app.fetch(request, { application: LOCAL_APPLICATION });
    },
    close: async () => {
      for (const one of [reading, writing]) (await one)?.store.close();
    },
  };
}

interface Opened {
  store: Store;
  app: ReturnType<typeof createApp>;
}

const withApp = (store: Store): Opened => ({ store, app: createApp(store) });
