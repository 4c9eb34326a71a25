/** Ctrl-C and its like, sent to the built tool while it talks to a service. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processIdentity } from '../src/host/process-identity.ts';
import { shortHash } from '../src/state/xdg-paths.ts';
import { cardFiles, folderWith, formulaTree } from './helpers/folders.ts';
import { json, loopback, type Recorded } from './helpers/loopback.ts';

const TOOL = join(import.meta.dirname, '../bin/formulary.js');
const HEARD = 'Stopping after the requests in flight finish';

interface Child {
  process: ChildProcess;
  out(): string;
  err(): string;
  /** Resolves when stderr holds the text. */
  messages(text: string): Promise<void>;
  ended: Promise<{ code: number | null; signal: string | null }>;
}

/** A service that does not respond to requests for which `holds` returns true until the test does. */
async function formulary(
  words: readonly string[],
  respond: (request: Recorded, response: ServerResponse) => void,
  prepare: (state: string, url: string) => void = () => undefined,
): Promise<Child & { requests: Recorded[] }> {
  const { url, env, requests } = await loopback(respond);
  prepare(env['XDG_STATE_HOME'] ?? '', url);
  const child = spawn(process.execPath, [TOOL, ...words], { env: { ...env, PATH: process.env['PATH'] } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { out: '', err: '' };
  const waiting = new Set<() => void>();
  child.stdout.on('data', (text) => {
    texts.out += text;
  });
  child.stderr.on('data', (text) => {
    texts.err += text;
    for (const look of waiting) look();
  });
  const messages = (text: string) =>
    new Promise<void>((done) => {
      const look = () => {
        if (texts.err.includes(text)) done();
      };
      waiting.add(look);
      look();
    });
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) =>
    child.once('close', (code, signal) => done({ code, signal })),
  );
  return { process: child, requests, out: () => texts.out, err: () => texts.err, messages, ended };
}

/** A promise and the function that fulfils it. */
function event<T>() {
  let happens: (value: T) => void = () => undefined;
  const happened = new Promise<T>((done) => {
    happens = done;
  });
  return { happened, happens };
}

const id = (digit: number) => `${digit}3333333-3333-4333-8333-333333333333`;
const formula = (digit: number) => ({ id: id(digit), name: `Formula ${digit}` });

describe('the first signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('lets the request in flight finish, prints its answer and ends: %s with %d', async (signal, code) => {
    const asked = event<ServerResponse>();
    const child = await formulary(['formula', 'get', id(1), '--json', '--verbose'], (_, response) =>
      asked.happens(response),
    );
    const response = await asked.happened;
    child.process.kill(signal);
    await child.messages(HEARD);
    json(response, 200, formula(1));
    expect(await child.ended).toEqual({ code, signal: null });
    expect(JSON.parse(child.out())).toEqual(formula(1));
  });

  it('ends a wait before the next attempt, and reports the state of the request', async () => {
    const child = await formulary(['formula', 'get', id(1), '--json'], (_, response) =>
      json(response, 429, { message: 'slow down' }, { 'retry-after': '60' }),
    );
    await child.messages('waiting 60');
    child.process.kill('SIGTERM');
    expect(await child.ended).toEqual({ code: 143, signal: null });
    expect({ out: child.out(), asked: child.requests.length }).toEqual({ out: '', asked: 1 });
    const { error } = JSON.parse(child.err().trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'interrupted', exit_code: 143, status: 429 });
    expect(error.message).toMatch(/^interrupted: could not get the formula.*slow down/);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends a wait for another command: %s with %d', async (signal, code) => {
    const child = await formulary(
      ['formula', 'create', folderWith(cardFiles()), '--json'],
      () => undefined,
      (state, url) => {
        const folder = join(state, 'formulary/write-locks');
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, shortHash(url)), processIdentity.getProcessIdentity(), { mode: 0o600 });
      },
    );
    await child.messages('waiting for another formulary command');
    child.process.kill(signal);
    expect(await child.ended).toEqual({ code, signal: null });
    expect({ out: child.out(), asked: child.requests.length }).toEqual({ out: '', asked: 0 });
  });

  it('prevents a create, and reports that it was not sent', async () => {
    const asked = event<ServerResponse>();
    const child = await formulary(['formula', 'create', folderWith(cardFiles()), '--verbose'], (_, response) =>
      asked.happens(response),
    );
    const response = await asked.happened;
    child.process.kill('SIGINT');
    await child.messages(HEARD);
    json(response, 200, { data: [] });
    expect(await child.ended).toEqual({ code: 130, signal: null });
    expect(child.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(child.err()).toContain(
      'interrupted: could not create the formula "Tokenize a card"; the request was not sent',
    );
  });

  it('reports how to check a write whose response was lost', async () => {
    const posted = event<ServerResponse>();
    const child = await formulary(['formula', 'create', folderWith(cardFiles()), '--verbose'], (request, response) =>
      request.method === 'GET' ? json(response, 200, { data: [] }) : posted.happens(response),
    );
    const response = await posted.happened;
    child.process.kill('SIGINT');
    await child.messages(HEARD);
    response.destroy();
    expect(await child.ended).toEqual({ code: 130, signal: null });
    expect(child.err()).toMatch(
      /error: interrupted: could not create.*\nhint: The request may still have succeeded\.\n +To check/,
    );
  });

  it('stops a queue of deletions, and reports completed and unstarted ones', async () => {
    const deleting = event<ServerResponse>();
    const words = ['formula', 'delete', id(1), id(2), id(3), '--yes', '--json', '--verbose'];
    const child = await formulary(words, ({ method, url }, response) =>
      method === 'GET' ? json(response, 200, formula(Number(url.split('/').at(-1)?.[0]))) : deleting.happens(response),
    );
    const response = await deleting.happened;
    child.process.kill('SIGINT');
    await child.messages(HEARD);
    json(response, 204, undefined);
    expect(await child.ended).toEqual({ code: 130, signal: null });
    expect(child.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    expect(JSON.parse(child.out())).toEqual({
      schema_version: 1,
      items: [
        { ...formula(1), outcome: 'deleted' },
        { ...formula(2), outcome: 'not_started' },
        { ...formula(3), outcome: 'not_started' },
      ],
      summary: { total: 3, deleted: 1, failed: 0, unknown: 0, not_started: 2 },
    });
  });
});

describe('a push', () => {
  it('that is stopped waits for its creates in flight and starts no more', async () => {
    const folders = formulaTree('Formula 1', 'Formula 2', 'Formula 3');
    const both = event<void>();
    const posted: { response: ServerResponse; name: string }[] = [];
    const words = ['formula', 'push', folders, '--concurrency', '2', '--no-lock', '--json', '--verbose'];
    const child = await formulary(words, ({ method, body }, response) => {
      if (method === 'GET') return json(response, 200, { data: [] });
      if (posted.push({ response, name: JSON.parse(body).name }) === 2) both.happens();
    });
    await both.happened;
    child.process.kill('SIGINT');
    await child.messages(HEARD);
    for (const [i, { response, name }] of posted.entries()) json(response, 201, { id: id(i + 1), name });
    expect(await child.ended).toEqual({ code: 130, signal: null });
    expect(posted).toHaveLength(2);
    expect(JSON.parse(child.out()).summary).toMatchObject({ total: 3, created: 2, not_started: 1 });
  });
});

describe('the second signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends at once, whatever is in flight: %s with %d', async (signal, code) => {
    const asked = event<void>();
    const child = await formulary(['formula', 'list', '--verbose'], () => asked.happens());
    await asked.happened;
    child.process.kill('SIGINT');
    await child.messages(HEARD);
    child.process.kill(signal);
    expect(await child.ended).toEqual({ code, signal: null });
    expect(child.out()).toBe('');
  });
});

describe('a command that reads a pipe', () => {
  it
    .runIf(process.platform !== 'win32')
    .each([
      [(pipe: string) => ['formula', 'list', '--api-key-file', pipe]],
      [(pipe: string) => ['formula', 'validate', '--paths-from', pipe]],
      [(pipe: string) => ['formula', 'run', folderWith(cardFiles()), '--args', `@${pipe}`]],
    ])('ends at the first signal: %s', async (words) => {
    const pipe = join(folderWith(), 'key');
    execFileSync('mkfifo', [pipe]);
    const child = await formulary(words(pipe), () => undefined);
    // Opens when the tool reads from it, and keeps it reading.
    const writer = await open(pipe, 'w');
    onTestFinished(() => writer.close());
    child.process.kill('SIGINT');
    expect(await child.ended).toEqual({ code: null, signal: 'SIGINT' });
  });
});
