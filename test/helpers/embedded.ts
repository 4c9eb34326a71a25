/** The embedded service over HTTP on loopback, in this process. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { createFirstApplication } from '../../src/service/applications.ts';
import { listen } from '../../src/service/listen.ts';
import { openStore } from '../../src/service/store/store.ts';
import { folderWith } from './folders.ts';
import { type RunResult, run } from './test-host.ts';

const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';

export interface EmbeddedService {
  /** The environment in which commands of a machine of its own use the service. */
  machine(): Record<string, string>;
  /** Runs a command on this computer. */
  on(env: Record<string, string>, ...words: string[]): Promise<RunResult>;
}

/** Starts the service with an empty store; it ends with the test. */
export async function embeddedService(): Promise<EmbeddedService> {
  const store = await openStore(join(folderWith(), 'service.db'));
  createFirstApplication(store, KEY, new Date());
  const service = await listen(createApp(store, { now: () => new Date() }), 0);
  onTestFinished(async () => {
    await service.close();
    store.close();
  });
  return {
    machine: () => ({ FORMULARY_BASE_URL: service.baseUrl, FORMULARY_API_KEY: KEY, XDG_STATE_HOME: folderWith() }),
    on: (env, ...words) => run(words, { env }),
  };
}
