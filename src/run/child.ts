/**
 * Runs one formula in a process of its own. Compiled to one script without imports of ours, for Node.js 16 and newer.
 * A token and a request come on stdin. What is said goes to descriptor 3, each line behind the token, which the formula
 * never sees: whatever it prints, replaces or pollutes, all was kept here before its first line ran.
 */
import { readFileSync, readSync, writeSync } from 'node:fs';
import NodeModule from 'node:module';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type ChildRequest, type Thrown, TOKEN_LENGTH, type When } from './messages.ts';

const { parse, stringify } = JSON;
const { apply } = Reflect;
const { isFinite: isFiniteNumber } = Number;
const { slice } = String.prototype;
const { byteLength } = Buffer;
const { defineProperty } = Object;
// Arrays of bytes of their own: the memory that buffers share can be read by anyone in this process.
const Bytes = Uint8Array;
const { set, fill } = Bytes.prototype;
const encoder = new TextEncoder();
const { encodeInto } = encoder;
const write = writeSync;
const describe = inspect;
const after = setTimeout;
const activeResources = process.getActiveResourcesInfo?.bind(process);
const CHANNEL = 3;
const MAX_TEXT = 20_000;
const WATCH_MS = 500;
const BLANK = ' '.repeat(TOKEN_LENGTH);

const token = readToken();
const request: ChildRequest = parse(readFileSync(0, 'utf8'));
const { code, file, bt, graceMs, maxBytes } = request;
const args: unknown = parse(request.args);
const configuration: unknown = parse(request.configuration);
let hasEnded = false;

/** The first bytes of stdin. They are never made a text, which could be found in a picture of the heap. */
function readToken(): Uint8Array {
  const bytes = new Bytes(TOKEN_LENGTH);
  for (let at = 0; at < TOKEN_LENGTH; ) {
    const read = readSync(0, bytes, at, TOKEN_LENGTH - at, null);
    if (read === 0) process.exit();
    at += read;
  }
  return bytes;
}

/** Writes a line whole, whatever state the pipe is in. While the token is in it, nothing is called that can be replaced. */
function say(json: string): void {
  const size = byteLength(json) + TOKEN_LENGTH + 2;
  const line = new Bytes(size);
  // A line feed first: what the formula may have written to the channel is a line of its own.
  apply(encodeInto, encoder, [`\n${BLANK}${json}\n`, line]);
  // Node.js asks for it, and would ask a getter of the formula.
  defineProperty(line, 'byteLength', { __proto__: null, value: size } as PropertyDescriptor);
  apply(set, line, [token, 1]);
  for (let at = 0; at < size; ) {
    try {
      at += write(CHANNEL, line, at, size - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break;
    }
  }
  apply(fill, line, [0]);
}

/** Ends this process, and what it started, when the tool is gone: from a thread, which an endless loop does not stop. */
function endWithTool(): void {
  const group = process.platform === 'win32' ? process.pid : -process.pid;
  const watch = `const tool = ${process.ppid};
    setInterval(() => { if (process.ppid !== tool) process.kill(${group}, 'SIGKILL'); }, ${WATCH_MS});`;
  new Worker(watch, { eval: true, stdin: false }).unref();
}

/** What Node.js calls inside itself can be looked up, but not replaced. */
function guardInternals(): void {
  const holder = process as unknown as { binding(name: string): object };
  const { binding } = holder;
  holder.binding = (name) => ({ ...apply(binding, process, [name]) });
}

/** What can be told of a value that was thrown, as JSON; reading it may run code of the formula, which may throw again. */
function thrownText(error: unknown): string {
  const field = (key: keyof Thrown, isText: boolean): string => {
    const value = safely(() => (error as Record<string, unknown>)[key]);
    if (isText) return typeof value === 'string' ? `,"${key}":${stringify(apply(slice, value, [0, MAX_TEXT]))}` : '';
    const json = value === undefined ? undefined : safely(() => stringify(value));
    return json === undefined || json.length > MAX_TEXT ? '' : `,"${key}":${json}`;
  };
  const message = field('message', true);
  if (typeof error === 'object' && error !== null && message !== '') {
    const facts = field('status', false) + field('errors', false);
    return `{"isError":true${message}${field('name', true)}${field('stack', true)}${field('code', true)}${facts}}`;
  }
  return `{"message":${stringify(apply(slice, safely(() => describe(error)) ?? typeof error, [0, MAX_TEXT]))}}`;
}

function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function fail(when: When, error: unknown): void {
  const thrown = thrownText(error);
  say(hasEnded ? `{"late":${thrown}}` : `{"failed":${thrown},"when":"${when}"}`);
  hasEnded = true;
}

/** The response as JSON, with the names of what JSON has no word for. */
function sayResponse(response: unknown): void {
  const lost: string[] = [];
  let json: string | undefined;
  try {
    json = stringify(response, (key, value) => {
      const isLost =
        typeof value === 'function' ||
        typeof value === 'symbol' ||
        (typeof value === 'number' && !isFiniteNumber(value)) ||
        value instanceof Map ||
        value instanceof Set;
      if (isLost && lost.length < 5) lost[lost.length] = key;
      return value;
    });
  } catch (error) {
    fail('writing', error);
    return;
  }
  hasEnded = true;
  if (json !== undefined && json.length > maxBytes) {
    say(`{"tooLarge":${json.length}}`);
    return;
  }
  const files = safely(() => stringify(Object.keys(require.cache))) ?? '[]';
  say(`{"response":${json ?? `null,"isNothing":true`},"lost":${stringify(lost)},"files":${files}}`);
  // Who is done ends by itself before this; it keeps nobody alive.
  after(() => say(`{"open":${safely(() => stringify(activeResources?.() ?? [])) ?? '[]'}}`), graceMs).unref();
}

/** Loads the code as Node.js loads a CommonJS file, whatever its folder's package.json says. */
function load(): unknown {
  const Loader = NodeModule as unknown as {
    new (
      id: string,
    ): { filename: string; paths: string[]; exports: unknown; _compile(text: string, file: string): void };
    _nodeModulePaths(folder: string): string[];
  };
  const loaded = new Loader(file);
  loaded.filename = file;
  loaded.paths = Loader._nodeModulePaths(dirname(file));
  loaded._compile(code, file);
  return loaded.exports;
}

async function main(): Promise<void> {
  say(`{"started":"${process.versions.node}"}`);
  process.on('uncaughtException', (error) => fail('unhandled', error));
  process.on('beforeExit', () => {
    if (!hasEnded) say('{"unsettled":true}');
  });
  process.argv = [process.execPath, file];
  process.execArgv = [];
  guardInternals();
  endWithTool();
  let formula: unknown;
  let client: unknown = null;
  try {
    client = bt === undefined ? null : require(bt);
  } catch (error) {
    return fail('bt', error);
  }
  try {
    formula = load();
  } catch (error) {
    return fail('load', error);
  }
  if (typeof formula !== 'function') return say(`{"noFunction":${stringify(typeof formula)}}`);
  const call = formula as (request: object) => unknown;
  let response: unknown;
  try {
    response = await call({ args, configuration, bt: client });
  } catch (error) {
    return fail('call', error);
  }
  if (!hasEnded) sayResponse(response);
}

main();
