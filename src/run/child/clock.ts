/** The clock and the random numbers of a test with `now` or `seed`. */
import { createGenerator } from '../../text/random.ts';

type Callback = (...args: unknown[]) => void;

interface Timer {
  at: number;
  delay: number;
  callback: Callback;
  args: unknown[];
  isInterval: boolean;
}

const { construct, defineProperty } = Reflect;
const later = setImmediate;
const activeResources = process.getActiveResourcesInfo?.bind(process);
/** Turns of the event loop without a timer, in which responses of doubles arrive. */
const QUIET_TURNS = 20;
/** What does not keep the clock from advancing: connections to doubles, which the code may wait for with a time limit. */
const QUIET = /^(TCP|Pipe|TTY|Timeout|Immediate|CloseReq|MessagePort|HTTP|ConnectReq|WriteWrap|ShutdownWrap)/i;

let clockOfTest: ReturnType<typeof createClock> | undefined;
const startTimer = setTimeout;
const stopTimer = clearTimeout;

/** Runs a function after a delay of a double, which does not keep the process running. Returns a function to cancel it. */
export function delay(work: () => void, ms: number): () => void {
  const clock = clockOfTest;
  if (clock) {
    const timer = clock.setTimeout(work, ms);
    return () => clock.clear(timer);
  }
  const timer = startTimer(work, ms).unref();
  return () => stopTimer(timer);
}

/** Stops the timers of a stopped clock after a moment, and calls back if some were left that are not due. */
export function endClock(graceMs: number, report: () => void): void {
  let turns = 0;
  const check = () => {
    if (turns++ < QUIET_TURNS) later(check);
    else if (clockOfTest?.end(graceMs)) report();
  };
  if (clockOfTest) check();
}

/** Stops the timers of a test, before another one uses the process. */
export const clearTimers = (): void => void clockOfTest?.end(0);

/** Stops the clock at a time. Timers advance it as soon as the code waits for nothing else. */
export function stopClock(start: number): void {
  if (clockOfTest) {
    clockOfTest.set(start);
    return;
  }
  const clock = createClock(start);
  replaceDate(clock.now);
  defineProperty(performance, 'now', { value: clock.elapsed, configurable: true, writable: true });
  clockOfTest = clock;
  const timers = require('node:timers') as Record<string, unknown>;
  for (const holder of [globalThis as Record<string, unknown>, timers]) {
    holder['setTimeout'] = clock.setTimeout;
    holder['setInterval'] = clock.setInterval;
    holder['clearTimeout'] = holder['clearInterval'] = clock.clear;
  }
  const { promisify } = require('node:util') as typeof import('node:util');
  const wait = (ms?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((done, fail) => {
      const timer = clock.setTimeout(() => done(value), ms);
      signal?.addEventListener('abort', () => {
        clock.clear(timer);
        fail(createError('The operation was aborted', 'AbortError', 'ABORT_ERR'));
      });
    });
  defineProperty(clock.setTimeout, promisify.custom, { value: wait, configurable: true });
  const promises = require('node:timers/promises') as Record<string, unknown>;
  promises['setTimeout'] = wait;
  if (promises['scheduler']) (promises['scheduler'] as Record<string, unknown>)['wait'] = wait;
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const error = createError('The operation was aborted due to timeout', 'TimeoutError', 23);
    clock.setTimeout(() => controller.abort(error), ms).unref();
    return controller.signal;
  };
}

/** Node.js 16 has no global DOMException. */
const createError = (message: string, name: string, code: string | number): Error =>
  Object.assign(new Error(message), { name, code });

/** Real timers, which are never due, keep the process running and are what the code gets. */
const NEVER = 2 ** 31 - 1;

function createClock(time: number) {
  /** In the order in which those of the same time are due. */
  const timers = new Map<NodeJS.Timeout, Timer>();
  let [start, now, isDriven, hasEnded] = [time, time, false, false];
  const add = (callback: Callback, ms: unknown, args: unknown[], isInterval: boolean) => {
    const delay = Number(ms) >= 1 && Number(ms) <= NEVER ? Math.trunc(Number(ms)) : 1;
    const handle = startTimer(callback, NEVER);
    const timer = { at: 0, delay, callback, args, isInterval };
    handle.refresh = () => schedule(handle, timer);
    handle.close = () => clear(handle) ?? handle;
    return schedule(handle, timer);
  };
  const schedule = (handle: NodeJS.Timeout, timer: Timer) => {
    timer.at = now + timer.delay;
    timers.delete(handle);
    timers.set(handle, timer);
    drive();
    return handle;
  };
  const clear = (timer: unknown) => {
    const handle = timer instanceof Object ? timer : [...timers.keys()].find((one) => Number(one) === Number(timer));
    timers.delete(handle as NodeJS.Timeout);
    stopTimer(handle as NodeJS.Timeout);
  };
  const drive = () => {
    if (isDriven) return;
    isDriven = true;
    let quiet = 0;
    const turn = () => {
      isDriven = !hasEnded && timers.size > 0;
      if (!isDriven) return;
      const isAwaited = [...timers.keys()].some((handle) => handle.hasRef());
      const isBusy = (activeResources?.() ?? []).some((name) => !QUIET.test(name));
      quiet = isBusy || !isAwaited ? 0 : quiet + 1;
      const next = later(turn);
      if (!isAwaited) next.unref();
      if (quiet <= QUIET_TURNS) return;
      quiet = 0;
      fireNext();
    };
    later(turn);
  };
  const fireNext = () => {
    const [handle, timer] = [...timers].reduce((a, b) => (b[1].at < a[1].at ? b : a));
    now = Math.max(now, timer.at);
    if (timer.isInterval) schedule(handle, timer);
    else clear(handle);
    timer.callback(...timer.args);
  };
  return {
    now: () => now,
    elapsed: () => now - start,
    /** Sets the time for another test. */
    set: (time: number) => {
      [start, now, hasEnded] = [time, time, false];
    },
    setTimeout: (callback: Callback, ms?: unknown, ...args: unknown[]) => add(callback, ms, args, false),
    setInterval: (callback: Callback, ms?: unknown, ...args: unknown[]) => add(callback, ms, args, true),
    clear,
    /** Stops all timers; whether some are not due within a time. */
    end: (graceMs: number): boolean => {
      hasEnded = true;
      const isLate = [...timers].some(([handle, { at }]) => handle.hasRef() && at > now + graceMs);
      [...timers.keys()].forEach(clear);
      return isLate;
    },
  };
}

function replaceDate(now: () => number): void {
  const RealDate = Date;
  const replaced = new Proxy(RealDate, {
    apply: () => String(new RealDate(now())),
    construct: (target, args, type) => construct(target, args.length === 0 ? [now()] : args, type),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  });
  RealDate.prototype.constructor = replaced;
  globalThis.Date = replaced;
}

let next: (() => number) | undefined;

/** Makes random numbers and bytes depend on a seed. */
export function seedRandom(seed: number): void {
  if (!next) replaceRandom();
  next = createGenerator(seed);
}

function replaceRandom(): void {
  const nextRandom = () => next?.() ?? 0;
  const fill = <T extends ArrayBufferView | ArrayBuffer>(target: T, from = 0, size?: number): T => {
    const bytes = ArrayBuffer.isView(target)
      ? new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
      : new Uint8Array(target);
    const end = size === undefined ? bytes.length : from + size;
    for (let i = from; i < end; i += 1) bytes[i] = nextRandom() >>> 24;
    return target;
  };
  Math.random = () => ((nextRandom() >>> 5) * 2 ** 26 + (nextRandom() >>> 6)) / 2 ** 53;
  const crypto = require('node:crypto') as unknown as Record<string, unknown>;
  const createUuid = () => {
    const bytes = fill(Buffer.alloc(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
  const withCallback =
    <T extends unknown[]>(create: (...args: T) => unknown) =>
    (...args: [...T, Callback?]) => {
      const callback = args[args.length - 1];
      if (typeof callback !== 'function') return create(...(args as unknown as T));
      const value = create(...(args.slice(0, -1) as T));
      process.nextTick(callback as Callback, null, value);
      return undefined;
    };
  const replaced = {
    randomUUID: createUuid,
    randomBytes: withCallback((size: number) => fill(Buffer.alloc(size))),
    randomInt: withCallback((min: number, max?: number) => {
      const [from, size] = max === undefined ? [0, min] : [min, max - min];
      return from + Math.floor(Math.random() * size);
    }),
    randomFillSync: fill,
    getRandomValues: (target: Uint8Array) => fill(target),
  };
  for (const [name, value] of Object.entries(replaced))
    if (name in crypto) defineProperty(crypto, name, { value, configurable: true, enumerable: true, writable: true });
  const prototype = Object.getPrototypeOf(crypto['webcrypto'] ?? {});
  prototype.getRandomValues = replaced.getRandomValues;
  prototype.randomUUID = replaced.randomUUID;
}
