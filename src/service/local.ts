/** The embedded service without a network: `--local` asks it in process. */
import { createApp } from './app.ts';
import { type Application, openStore } from './store.ts';

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
  close(): void;
}

/**
 * Opens the data file and answers requests with all reactor permissions; no key is looked at.
 * @throws CliError `usage` if libsql is not installed or the file cannot be used.
 */
export async function openLocal(file: string): Promise<LocalService> {
  const store = await openStore(file);
  const app = createApp(store);
  return {
    fetch: async (request) => app.fetch(request, { application: LOCAL_APPLICATION }),
    close: () => store.close(),
  };
}
