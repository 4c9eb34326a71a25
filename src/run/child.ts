/**
 * Runs one formula in a process of its own. Compiled to one script without imports of ours, for Node.js 16 and newer.
 * A token and a request come on stdin. What is said goes to descriptor 3, each line behind the token, which the formula
 * never sees: whatever it prints, replaces or pollutes, all was kept here before its first line ran.
 */
import { readFileSync, readSync, writeSync } from 'node:fs';
import NodeModule from 'node:module';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { endWithTool } from './end-with-tool.ts';
import { type ChildRequest, type Phase, type SerializedError, TOKEN_LENGTH } from './protocol.ts';

const { parse, stringify } = JSON;
const { apply } = Reflect;
const { isFinite: isFiniteNumber } = Number;
const { slice } = String.prototype;
const { byteLength } = Buffer;
const { defineProperty } = Object;
const { isArray: isList } = Array;
const ValuePaths = WeakMap;
const { get: getPlace, set: setPlace } = ValuePaths.prototype;
const { getTime } = Date.prototype;
// Arrays of bytes of their own: the memory that buffers share can be read by anyone in this process.
const Bytes = Uint8Array;
const { set, fill } = Bytes.prototype;
const encoder = new TextEncoder();
const { encodeInto } = encoder;
const write = writeSync;
const describe = inspect;
const schedule = setTimeout;
const activeResources = process.getActiveResourcesInfo?.bind(process);
const CHANNEL = 3;
const MAX_TEXT = 20_000;
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
function send(json: string): void {
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

/** What Node.js calls inside itself can be looked up, but not replaced. */
function guardInternals(): void {
  const holder = process as unknown as { binding(name: string): object };
  const { binding } = holder;
  holder.binding = (name) => ({ ...apply(binding, process, [name]) });
}

/** What can be told of a value that was thrown, as JSON; reading it may run code of the formula, which may throw again. */
function serializeThrown(error: unknown): string {
  const field = (key: keyof SerializedError, isText: boolean): string => {
    const value = tryOrUndefined(() => (error as Record<string, unknown>)[key]);
    if (isText) return typeof value === 'string' ? `,"${key}":${stringify(apply(slice, value, [0, MAX_TEXT]))}` : '';
    const json = value === undefined ? undefined : tryOrUndefined(() => stringify(value));
    return json === undefined || json.length > MAX_TEXT ? '' : `,"${key}":${json}`;
  };
  const message = field('message', true);
  if (typeof error === 'object' && error !== null && message !== '') {
    const facts = field('status', false) + field('errors', false) + serializeCauses(error);
    return `{"isError":true${message}${field('name', true)}${field('stack', true)}${field('code', true)}${facts}}`;
  }
  return `{"message":${stringify(apply(slice, tryOrUndefined(() => describe(error)) ?? typeof error, [0, MAX_TEXT]))}}`;
}

const MAX_CAUSES = 5;

/** The cause of an error, its causes, and the errors of an AggregateError, as texts. */
function serializeCauses(error: object): string {
  const texts: string[] = [];
  const add = (value: unknown, title: string) => {
    const message = tryOrUndefined(() => (value as Error).message);
    const name = tryOrUndefined(() => (value as Error).name);
    const text =
      typeof message === 'string' && typeof name === 'string'
        ? `${name}: ${message}`
        : tryOrUndefined(() => describe(value));
    if (texts.length < MAX_CAUSES) texts[texts.length] = `${title}: ${apply(slice, text ?? typeof value, [0, 500])}`;
  };
  let cause = tryOrUndefined(() => (error as Error).cause);
  for (let i = 0; cause !== undefined && i < MAX_CAUSES; i++) {
    add(cause, 'cause');
    const outer = cause;
    cause = tryOrUndefined(() => (outer as Error).cause);
  }
  const errors = tryOrUndefined(() => (error as AggregateError).errors);
  if (error instanceof AggregateError && isList(errors)) {
    for (let i = 0; i < errors.length && i < MAX_CAUSES; i++) add(errors[i], 'contains');
  }
  return texts.length === 0 ? '' : `,"causes":${stringify(texts)}`;
}

function tryOrUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function sendFailure(phase: Phase, error: unknown): void {
  const thrown = serializeThrown(error);
  send(hasEnded ? `{"late":${thrown}}` : `{"failed":${thrown},"when":"${phase}"}`);
  hasEnded = true;
}

const MAX_LOST = 5;
const MAX_DEPTH = 1000;

/** What a value is that JSON cannot represent; undefined for all others. */
function describeUnserializable(value: unknown): string | undefined {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'number' && !isFiniteNumber(value)) return `${value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Promise) return 'a promise (is an await missing?)';
  if (value instanceof Error) return 'an Error';
  if (value instanceof RegExp) return 'a regular expression';
  if (value instanceof Map) return 'a Map';
  if (value instanceof Set) return 'a Set';
  if (value instanceof Date && !isFiniteNumber(apply(getTime, value, []))) return 'an invalid Date';
  return undefined;
}

interface ValuePath {
  path: string;
  depth: number;
}

/** The place of a value in the response, from that of the object or array that contains it. */
function toValuePath(holder: object, key: string, parent: ValuePath | undefined): ValuePath {
  if (parent === undefined) return { path: '', depth: 0 };
  const { path, depth } = parent;
  if (isList(holder)) return { path: `${path}[${key}]`, depth: depth + 1 };
  return { path: path === '' ? key : `${path}.${key}`, depth: depth + 1 };
}

/** The response as JSON, with the places of what JSON cannot represent. */
function sendResponse(response: unknown): void {
  const lost: { path: string; what: string }[] = [];
  const paths = new ValuePaths<object, ValuePath>();
  let isTooDeep = false;
  let json: string | undefined;
  try {
    json = stringify(response, function (this: object, key, value) {
      const valuePath = toValuePath(this, key, apply(getPlace, paths, [this]) as ValuePath | undefined);
      isTooDeep ||= valuePath.depth > MAX_DEPTH;
      if (isTooDeep) return undefined;
      // A Date is a string by now; an invalid one is null.
      const what = describeUnserializable(value === null ? (this as Record<string, unknown>)[key] : value);
      if (what !== undefined && lost.length < MAX_LOST) lost[lost.length] = { path: valuePath.path, what };
      if (typeof value === 'object' && value !== null) apply(setPlace, paths, [value, valuePath]);
      return value;
    });
  } catch (error) {
    sendFailure('writing', error);
    return;
  }
  hasEnded = true;
  if (isTooDeep) {
    send('{"tooDeep":true}');
    return;
  }
  if (json !== undefined && json.length > maxBytes) {
    send(`{"tooLarge":${json.length}}`);
    return;
  }
  send(`{"response":${json ?? `null,"isNothing":true`},"lost":${stringify(lost)}}`);
  // Who is done ends by itself before this; it keeps nobody alive.
  schedule(
    () => send(`{"open":${tryOrUndefined(() => stringify(activeResources?.() ?? [])) ?? '[]'}}`),
    graceMs,
  ).unref();
}

/** Loads the code as Node.js loads a CommonJS file, whatever its folder's package.json says. */
function loadCode(): unknown {
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
  send(`{"started":"${process.versions.node}"}`);
  process.on('uncaughtException', (error) => sendFailure('unhandled', error));
  process.on('beforeExit', () => {
    if (!hasEnded) send('{"unsettled":true}');
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
    return sendFailure('bt', error);
  }
  try {
    formula = loadCode();
  } catch (error) {
    return sendFailure('load', error);
  }
  if (typeof formula !== 'function') return send(`{"noFunction":${stringify(typeof formula)}}`);
  const call = formula as (request: object) => unknown;
  let response: unknown;
  try {
    response = await call({ args, configuration, bt: client });
  } catch (error) {
    return sendFailure('call', error);
  }
  if (!hasEnded) sendResponse(response);
}

main();
