/** The embedded service behind a port on which the tool, a process of its own, is killed at a request that is chosen. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { createFirstApplication } from '../../src/service/applications.ts';
import { openStore } from '../../src/service/store/store.ts';
import { folderWith } from './folders.ts';
import { listening } from './loopback.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');
const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';

/** Which request of a run the tool does not survive; `isDone`: the service does what it asks all the same. */
export interface Killing {
  request: number;
  isDone: boolean;
}

/**
 * Starts the service with an empty store. `kill` runs the tool until the request, or to its end if there are fewer;
 * `methods` are those of all requests since the last start of the tool.
 */
export async function killingService() {
  const store = await openStore(join(folderWith(), 'service.db'));
  createFirstApplication(store, KEY, new Date());
  const app = createApp(store, { now: () => new Date() });
  const methods: string[] = [];
  let doomed: { at: Killing; kill: () => void } | undefined;

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await incoming.toArray());
    methods.push(incoming.method ?? '');
    const isLast = methods.length === doomed?.at.request;
    if (isLast) doomed?.kill();
    if (isLast && !doomed?.at.isDone) return incoming.socket.destroy();
    const { method = 'GET', url = '/' } = incoming;
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const sent = { method, headers, ...(body.length > 0 && { body }) };
    const answer = await app.fetch(new Request(`http://127.0.0.1${url}`, sent));
    if (isLast) return incoming.socket.destroy();
    return response.writeHead(answer.status, [...answer.headers].flat()).end(Buffer.from(await answer.arrayBuffer()));
  };
  const server = createServer((incoming, response) => void serve(incoming, response));
  const address = `http://${await listening(server)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    store.close();
  });

  const machine = () => ({
    FORMULARY_BASE_URL: address,
    FORMULARY_API_KEY: KEY,
    FORMULARY_TARGET: 'staging',
    XDG_STATE_HOME: folderWith(),
  });
  const kill = async (env: Record<string, string>, words: readonly string[], at: Killing, cwd?: string) => {
    const child = spawn(process.execPath, [TOOL, ...words], { env, stdio: 'ignore', cwd });
    methods.length = 0;
    doomed = { at, kill: () => child.kill('SIGKILL') };
    await once(child, 'close');
    doomed = undefined;
  };
  return { machine, kill, methods };
}
