/** A repository whose formulas are published on the embedded service, and plans for it. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { createFirstApplication } from '../../src/service/applications.ts';
import { openStore } from '../../src/service/store/store.ts';
import { CARD_CODE, cardFiles, folderWith, writeFiles } from './folders.ts';
import { GIT_PATH, git } from './git.ts';
import type { Recorded } from './loopback.ts';
import { copyTemplate } from './templates.ts';
import { type HostOptions, type RunResult, run } from './test-host.ts';

const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';

/** The service of the test that runs now. All have one port, which the state and the plans of their copies contain. */
let current: { app: ReturnType<typeof createApp>; faults: Faults; requests: Recorded[] } | undefined;
let server: Promise<string> | undefined;

async function startServer(): Promise<string> {
  const started = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const body = Buffer.concat(await incoming.toArray()).toString('utf8');
    current?.requests.push({ method, url, headers, body });
    const status = current?.faults.respond?.({ method, url, headers, body }) ?? (current ? undefined : 503);
    if (status !== undefined) return void response.writeHead(status).end();
    const names = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const request = new Request(`http://127.0.0.1${url}`, { method, headers: names, ...(body && { body }) });
    const answer = await current?.app.fetch(request);
    if (answer)
      response.writeHead(answer.status, [...answer.headers].flat()).end(Buffer.from(await answer.arrayBuffer()));
  }).unref();
  await once(started.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

export const writeFormula = (cwd: string, name: string, text = '', folder = name) => {
  writeFiles(join(cwd, 'formulas', folder), cardFiles({ name }, { 'code.js': `${CARD_CODE}${text}` }));
};
export const remove = (cwd: string, name: string) => rmSync(join(cwd, 'formulas', name), { recursive: true });

interface Faults {
  respond?: (request: Recorded) => number | undefined;
}

export interface Repository {
  (words: string, hostOptions?: HostOptions): Promise<RunResult>;
  cwd: string;
  env: Record<string, string>;
  faults: Faults;
  /** Runs a command on another computer, with folders of its own. */
  elsewhere(words: string, ...names: string[]): Promise<RunResult>;
  /** The methods of the requests of a command that change something. */
  writes(command: Promise<RunResult>): Promise<[number, ...string[]]>;
  plan(): { steps: Record<string, unknown>[] } & Record<string, unknown>;
}

/** The repository, the service, and the state in a folder, which is empty at first. `close` ends the service. */
async function open(folder: string): Promise<Repository & { close: () => void }> {
  server ??= startServer();
  const [cwd, state] = [join(folder, 'repository'), join(folder, 'state')];
  for (const path of [cwd, state]) mkdirSync(path, { recursive: true, mode: 0o755 });
  const isNew = !existsSync(join(folder, 'service.db'));
  const store = await openStore(join(folder, 'service.db'));
  if (isNew) createFirstApplication(store, KEY, new Date());
  const [faults, requests]: [Faults, Recorded[]] = [{}, []];
  current = { app: createApp(store, { now: () => new Date() }), faults, requests };
  const env = {
    FORMULARY_BASE_URL: await server,
    FORMULARY_API_KEY: KEY,
    FORMULARY_TARGET: 'staging',
    XDG_STATE_HOME: state,
    PATH: GIT_PATH,
  };
  const formulary = (words: string, hostOptions: HostOptions = {}) =>
    run(['formula', ...words.split(' ')], { cwd, env, ...hostOptions });
  return Object.assign(formulary, {
    cwd,
    env,
    faults,
    close: () => store.close(),
    elsewhere: async (words: string, ...others: string[]) => {
      const place = folderWith();
      for (const name of others) writeFormula(place, name, '// theirs\n');
      const ended = await run(['formula', ...words.split(' ')], {
        cwd: others.length > 0 ? join(place, 'formulas') : place,
        env: { ...env, XDG_STATE_HOME: folderWith() },
      });
      if (ended.code !== 0) throw new Error(ended.err);
      return ended;
    },
    writes: async (command: Promise<RunResult>) => {
      const before = requests.length;
      const { code } = await command;
      const methods = requests.slice(before).map(({ method }) => method);
      return [code, ...methods.filter((method) => method !== 'GET')] as [number, ...string[]];
    },
    plan: () => JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')),
  });
}

/**
 * A copy of a repository with formulas of these names (each one letter), which are published, after `change`. Changes with
 * the same source code are one template.
 */
export async function repository(names: string, change?: (formulary: Repository) => unknown): Promise<Repository> {
  const { folder } = await copyTemplate(`${names} ${change}`, async (template) => {
    const formulary = await open(template);
    git(formulary.cwd, 'init', '-q', '-b', 'main');
    for (const name of names) writeFormula(formulary.cwd, name);
    if (names !== '') expect((await formulary('push formulas')).code).toBe(0);
    await change?.(formulary);
    formulary.close();
  });
  const formulary = await open(folder);
  onTestFinished(formulary.close);
  return formulary;
}

/** A plan of an update of a, a create of d, and a deletion of c; b is equal. */
export const planned = () =>
  repository('abc', async (formulary) => {
    writeFormula(formulary.cwd, 'a', '// new\n');
    writeFormula(formulary.cwd, 'd');
    remove(formulary.cwd, 'c');
    expect((await formulary('diff formulas --prune --out plan.json')).code).toBe(10);
  });
