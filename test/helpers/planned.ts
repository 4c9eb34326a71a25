/** A repository whose formulas are published on the embedded service, and plans for it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { createFirstApplication } from '../../src/service/applications.ts';
import { openStore } from '../../src/service/store/store.ts';
import { CARD_CODE, cardFiles, folderWith } from './folders.ts';
import { GIT_PATH, git } from './git.ts';
import { loopback, type Recorded } from './loopback.ts';
import { type Ended, run, type World } from './test-host.ts';

const KEY = 'key_0123456789abcdefghijABCDEFGHIJ01';

/** The embedded service, over HTTP; `requests` are all requests. `faults` may respond to some of them with a status. */
async function service(faults: Faults) {
  const store = await openStore(join(folderWith(), 'service.db'));
  onTestFinished(() => store.close());
  createFirstApplication(store, KEY, new Date());
  const app = createApp(store, { now: () => new Date() });
  return loopback(async (recorded, response) => {
    const status = faults.respond?.(recorded);
    if (status !== undefined) return void response.writeHead(status).end();
    const { method, url, headers, body } = recorded;
    const names = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const request = new Request(`http://127.0.0.1${url}`, { method, headers: names, ...(body && { body }) });
    const answer = await app.fetch(request);
    response.writeHead(answer.status, [...answer.headers].flat()).end(Buffer.from(await answer.arrayBuffer()));
  });
}

export const writeFormula = (cwd: string, name: string, text = '', folder = name) => {
  mkdirSync(join(cwd, 'formulas', folder), { recursive: true });
  for (const [file, content] of Object.entries(cardFiles({ name }, { 'code.js': `${CARD_CODE}${text}` })))
    writeFileSync(join(cwd, 'formulas', folder, file), content);
};
export const remove = (cwd: string, name: string) => rmSync(join(cwd, 'formulas', name), { recursive: true });

interface Faults {
  respond?: (request: Recorded) => number | undefined;
}

export interface Repository {
  (words: string, world?: World): Promise<Ended>;
  cwd: string;
  env: Record<string, string>;
  faults: Faults;
  /** Runs a command on another computer, with folders of its own. */
  elsewhere(words: string, ...names: string[]): Promise<Ended>;
  /** The methods of the requests of a command that change something. */
  writes(command: Promise<Ended>): Promise<[number, ...string[]]>;
  plan(): { steps: Record<string, unknown>[] } & Record<string, unknown>;
}

/** A repository with formulas of these names, which are published. */
export async function repository(...names: string[]): Promise<Repository> {
  const faults: Faults = {};
  const { url, requests } = await service(faults);
  const cwd = folderWith();
  git(cwd, 'init', '-q', '-b', 'main');
  for (const name of names) writeFormula(cwd, name);
  const env = {
    FORMULARY_BASE_URL: url,
    FORMULARY_API_KEY: KEY,
    FORMULARY_TARGET: 'staging',
    XDG_STATE_HOME: folderWith(),
    PATH: GIT_PATH,
  };
  const formulary = (words: string, world: World = {}) => run(['formula', ...words.split(' ')], { cwd, env, ...world });
  if (names.length > 0) expect((await formulary('push formulas')).code).toBe(0);
  return Object.assign(formulary, {
    cwd,
    env,
    faults,
    elsewhere: async (words: string, ...others: string[]) => {
      const folder = folderWith();
      for (const name of others) writeFormula(folder, name, '// theirs\n');
      const ended = await run(['formula', ...words.split(' ')], {
        cwd: others.length > 0 ? join(folder, 'formulas') : folder,
        env: { ...env, XDG_STATE_HOME: folderWith() },
      });
      if (ended.code !== 0) throw new Error(ended.err);
      return ended;
    },
    writes: async (command: Promise<Ended>) => {
      const before = requests.length;
      const { code } = await command;
      const methods = requests.slice(before).map(({ method }) => method);
      return [code, ...methods.filter((method) => method !== 'GET')] as [number, ...string[]];
    },
    plan: () => JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')),
  });
}

/** A plan of an update of a, a create of d, and a deletion of c; b is equal. */
export async function planned(): Promise<Repository> {
  const formulary = await repository('a', 'b', 'c');
  writeFormula(formulary.cwd, 'a', '// new\n');
  writeFormula(formulary.cwd, 'd');
  remove(formulary.cwd, 'c');
  expect((await formulary('diff formulas --prune --out plan.json')).code).toBe(10);
  return formulary;
}
