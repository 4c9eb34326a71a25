/** The clock and the random numbers of a test with `now` or `seed`. */

type Callback = (...args: unknown[]) => void;

interface Timer {
  at: number;
  order: number;
  callback: Callback;
  args: unknown[];
  delay: number;
  isInterval: boolean;
  hasRef: boolean;
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

/** Stops the timers of a stopped clock, and calls back if some are left after a moment, except those that are due. */
export function endClock(graceMs: number, report: () => void): void {
  const clock = clockOfTest;
  if (!clock) return;
  clock.end();
  let turns = 0;
  const check = () => {
    if (turns++ < QUIET_TURNS) later(check);
    else if (clock.count(graceMs) > 0) report();
  };
  check();
}

/** Stops the clock at a time. Timers advance it as soon as the code waits for nothing else. */
export function stopClock(now: number): void {
  const clock = createClock(now);
  replaceDate(clock.now);
  defineProperty(performance, 'now', { value: () => clock.now() - now, configurable: true, writable: true });
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
        fail(Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }));
      });
    });
  defineProperty(clock.setTimeout, promisify.custom, { value: wait, configurable: true });
  const promises = require('node:timers/promises') as Record<string, unknown>;
  promises['setTimeout'] = wait;
  if (promises['scheduler']) (promises['scheduler'] as Record<string, unknown>)['wait'] = wait;
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const fail = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    clock.setTimeout(fail, ms).unref();
    return controller.signal;
  };
}

function createClock(start: number) {
  const timers = new Map<number, Timer>();
  let [now, last, isDriven, hasEnded] = [start, 0, false, false];
  const add = (callback: Callback, ms: unknown, args: unknown[], isInterval: boolean) => {
    if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function.');
    const delay = Number(ms) >= 1 && Number(ms) < 2 ** 31 ? Math.trunc(Number(ms)) : 1;
    const id = ++last;
    timers.set(id, { at: now + delay, order: id, callback, args, delay, isInterval, hasRef: true });
    drive();
    return createHandle(id, timers, () => now, drive);
  };
  const drive = () => {
    if (isDriven) return;
    isDriven = true;
    let quiet = 0;
    const turn = () => {
      isDriven = !hasEnded && [...timers.values()].some(({ hasRef }) => hasRef);
      if (!isDriven) return;
      const isBusy = (activeResources?.() ?? []).some((name) => !QUIET.test(name));
      quiet = isBusy ? 0 : quiet + 1;
      later(turn);
      if (quiet <= QUIET_TURNS) return;
      quiet = 0;
      fireNext();
    };
    later(turn);
  };
  const fireNext = () => {
    const [id, timer] = [...timers].reduce((a, b) =>
      b[1].at < a[1].at || (b[1].at === a[1].at && b[1].order < a[1].order) ? b : a,
    );
    now = Math.max(now, timer.at);
    if (timer.isInterval) timers.set(id, { ...timer, at: now + timer.delay, order: ++last });
    else timers.delete(id);
    timer.callback(...timer.args);
  };
  return {
    now: () => now,
    setTimeout: (callback: Callback, ms?: unknown, ...args: unknown[]) => add(callback, ms, args, false),
    setInterval: (callback: Callback, ms?: unknown, ...args: unknown[]) => add(callback, ms, args, true),
    clear: (timer: unknown) => void timers.delete(Number(timer)),
    end: () => {
      hasEnded = true;
    },
    count: (graceMs: number) => [...timers.values()].filter(({ at, hasRef }) => hasRef && at > now + graceMs).length,
  };
}

/** What setTimeout returns. */
function createHandle(id: number, timers: Map<number, Timer>, now: () => number, drive: () => void) {
  const change = (hasRef: boolean) => {
    const timer = timers.get(id);
    if (timer) timer.hasRef = hasRef;
    if (hasRef) drive();
    return handle;
  };
  const handle = {
    ref: () => change(true),
    unref: () => change(false),
    hasRef: () => timers.get(id)?.hasRef ?? false,
    refresh: () => {
      const timer = timers.get(id);
      if (timer) timer.at = now() + timer.delay;
      return handle;
    },
    close: () => timers.delete(id) && handle,
    [Symbol.toPrimitive]: () => id,
  };
  return handle;
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

/** Makes random numbers and bytes depend on a seed. */
export function seedRandom(seed: number): void {
  const next = createGenerator(seed);
  const fill = <T extends ArrayBufferView | ArrayBuffer>(target: T, from = 0, size?: number): T => {
    const bytes = ArrayBuffer.isView(target)
      ? new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
      : new Uint8Array(target);
    const end = size === undefined ? bytes.length : from + size;
    for (let i = from; i < end; i += 1) bytes[i] = next() >>> 24;
    return target;
  };
  Math.random = () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
  const crypto = require('node:crypto') as unknown as Record<string, unknown>;
  const createUuid = () => {
    const bytes = fill(Buffer.alloc(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
  const withCallback =
    (create: (...args: never[]) => unknown) =>
    (...args: unknown[]) => {
      const callback = args[args.length - 1];
      if (typeof callback !== 'function') return create(...(args as never[]));
      const value = create(...(args.slice(0, -1) as never[]));
      process.nextTick(callback as Callback, null, value);
      return undefined;
    };
  const draw = (min: number, max?: number) =>
    max === undefined ? Math.floor(Math.random() * min) : min + Math.floor(Math.random() * (max - min));
  const replaced = {
    randomUUID: createUuid,
    randomBytes: withCallback((size: number) => fill(Buffer.alloc(size))),
    pseudoRandomBytes: withCallback((size: number) => fill(Buffer.alloc(size))),
    randomInt: withCallback(draw),
    randomFill: withCallback(fill),
    randomFillSync: fill,
    getRandomValues: (target: Uint8Array) => fill(target),
  };
  for (const [name, value] of Object.entries(replaced))
    if (name in crypto) defineProperty(crypto, name, { value, configurable: true, enumerable: true, writable: true });
  const prototype = Object.getPrototypeOf(crypto['webcrypto'] ?? {});
  prototype.getRandomValues = replaced.getRandomValues;
  prototype.randomUUID = replaced.randomUUID;
}

/** The generator mulberry32. */
function createGenerator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
