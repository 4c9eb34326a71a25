/** Tests of one formula that share a process: no test sees anything of another one. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type InvocationResult, invoke } from '../../../src/run/invoke.ts';
import { BARE, cardFiles, folderWith } from '../../helpers/folders.ts';
import { run } from '../../helpers/test-host.ts';
import { node16 } from '../../node16/setup.ts';

const NODES = [['this Node.js', process.execPath], ...(node16 ? [['Node.js 16', node16]] : [])] as [string, string][];

/** Runs code as a test of a formula with several does, first in a new process, then in the one that can be used again. */
async function runTwice(expression: string, nodePath: string) {
  const folder = folderWith();
  const code = `module.exports = async () => ({ raw: { is: await (${expression}), pid: process.pid } });`;
  const own = { nodePath, folder, file: `${folder}/code.js`, code, args: {}, configuration: {}, timeoutSeconds: 10 };
  const invocation = { ...own, isNetworkClosed: true, isShared: true, onOutput: () => undefined };
  const first = await invoke(invocation);
  const again = first.reusable && (await invoke(invocation, first.reusable));
  again?.reusable?.kill();
  const read = ({ exitReason }: InvocationResult) =>
    (exitReason as { response?: { raw: { is: string; pid: number } } }).response?.raw;
  return { first: read(first), again: again && read(again) };
}

/** Ways in which a test can leave something behind; each is an expression that tells whether it finds that. */
const LEAKS: Record<string, string> = {
  'a global': `globalThis.left ? 'left' : (globalThis.left = 1, 'new')`,
  'a changed global': `parseInt(1) !== 1 ? 'left' : (parseInt = () => 7, 'new')`,
  'a deleted global': `typeof unescape === 'undefined' ? 'left' : (delete globalThis.unescape, 'new')`,
  'a global that cannot be removed': `globalThis.fixed ? 'left' : (Object.defineProperty(globalThis, 'fixed', { value: 1 }), 'new')`,
  'a member of a prototype': `[].left ? 'left' : (Array.prototype.left = 1, 'new')`,
  'a hidden member of a prototype': `[].left ? 'left' : (Object.defineProperty(Array.prototype, 'left', { value: 1 }), 'new')`,
  'a prototype': `Object.getPrototypeOf(Map.prototype) !== Object.prototype ? 'left' : (Object.setPrototypeOf(Map.prototype, {}), 'new')`,
  'a frozen object': `Object.isFrozen(Math) ? 'left' : (Object.freeze(Math), 'new')`,
  'a symbol on a function': `JSON.parse[Symbol.for('x')] ? 'left' : (JSON.parse[Symbol.for('x')] = 1, 'new')`,
  'a getter': `Error.prototype.left ? 'left' : (Error.prototype.__defineGetter__('left', () => 1), 'new')`,
  'a prototype of a generator': `Object.getPrototypeOf(function* () {}).left ? 'left' : (Object.getPrototypeOf(function* () {}).left = 1, 'new')`,
  'a patched module of Node.js': `require('crypto').randomUUID() === 'x' ? 'left' : (require('crypto').randomUUID = () => 'x', 'new')`,
  'a patched class of Node.js': `require('events').prototype.left ? 'left' : (require('events').prototype.left = 1, 'new')`,
  'a default of Node.js': `require('events').defaultMaxListeners === 99 ? 'left' : (require('events').defaultMaxListeners = 99, 'new')`,
  'options of util.inspect': `require('util').inspect.defaultOptions.depth === 9 ? 'left' : (require('util').inspect.defaultOptions.depth = 9, 'new')`,
  'a default of Buffer': `Buffer.poolSize === 1 ? 'left' : (Buffer.poolSize = 1, 'new')`,
  'a listener of the process': `process.listenerCount('x') ? 'left' : (process.on('x', () => 0), 'new')`,
  'a handler of rejections': `process.listenerCount('unhandledRejection') ? 'left' : (process.on('unhandledRejection', () => 0), 'new')`,
  'an environment variable': `process.env.LEFT ? 'left' : (process.env.LEFT = '1', 'new')`,
  'another environment': `process.env.LEFT ? 'left' : (process.env = { LEFT: '1' }, 'new')`,
  'the time zone': `new Date(0).getHours() !== 0 ? 'left' : (process.env.TZ = 'Asia/Tokyo', 'new')`,
  'the working folder': `process.cwd() === '/' ? 'left' : (process.chdir('/'), 'new')`,
  'a file in the working folder': `require('fs').existsSync('left') ? 'left' : (require('fs').writeFileSync('left', ''), 'new')`,
  'the exit code': `process.exitCode === 7 ? 'left' : (process.exitCode = 7, 'new')`,
  'the umask': `process.umask() === 0o77 ? 'left' : (process.umask(0o77), 'new')`,
  'the title': `process.title === 'left' ? 'left' : (process.title = 'left', 'new')`,
  'an argument': `process.argv.includes('left') ? 'left' : (process.argv.push('left'), 'new')`,
  'the limit of stacks': `Error.stackTraceLimit === 3 ? 'left' : (Error.stackTraceLimit = 3, 'new')`,
  'a hook of stacks': `Object.keys(Error.prepareStackTrace || {}).length ? 'left' : (Error.prepareStackTrace = Object.assign(() => '', { left: 1 }), 'new')`,
  'a loader of modules': `require.extensions['.left'] ? 'left' : (require.extensions['.left'] = () => 0, 'new')`,
  'a patched loader': `require('module')._load.left ? 'left' : (require('module')._load.left = 1, 'new')`,
  'a timer': `new Promise((done) => { const seen = globalThis.constructor.seen; globalThis.constructor.seen = 0; setTimeout(() => { globalThis.constructor.seen = 1; }, 20); setTimeout(() => done(seen ? 'left' : 'new'), 1); })`,
  'a timer that keeps nothing running': `(async () => { await new Promise((done) => setTimeout(done, 5)); if (globalThis.late) return 'left'; setInterval(() => { globalThis.late = 1; }, 1).unref(); return 'new'; })()`,
  'an immediate loop': `(() => { const again = () => setImmediate(again).unref(); again(); return Object.left ? 'left' : 'new'; })()`,
  'a subscriber': `(() => { const c = require('diagnostics_channel').channel('x'); if (c.hasSubscribers) return 'left'; c.subscribe(() => 0); return 'new'; })()`,
  'an asynchronous store': `(() => { const { AsyncLocalStorage } = require('async_hooks'); const s = Symbol.for('s'); if (Object[s]) return 'left'; new AsyncLocalStorage().enterWith(1); return 'new'; })()`,
  'a mark of performance': `performance.getEntriesByName('left').length ? 'left' : (performance.mark('left'), 'new')`,
  'a group of the console': `console[Object.getOwnPropertySymbols(console).find((s) => /GroupIndent\\)$/.test(String(s)))] ? 'left' : (console.group(), 'new')`,
  'a counter of the console': `(() => { let text = ''; const { write } = process.stdout; process.stdout.write = (t) => { text = t; return true; }; console.count('x'); process.stdout.write = write; return text.includes('2') ? 'left' : 'new'; })()`,
  'flags of V8': `(() => { try { require('v8').setFlagsFromString('--no-opt'); } catch {} return Object.flag ? 'left' : 'new'; })()`,
  'a script in the global scope': `(() => { const vm = require('vm'); try { vm.runInThisContext('left'); return 'left'; } catch { vm.runInThisContext('let left = 1'); return 'new'; } })()`,
  'a DNS server': `require('dns').getServers()[0] === '192.0.2.1' ? 'left' : (require('dns').setServers(['192.0.2.1']), 'new')`,
  'a patched http': `require('http').left ? 'left' : (require('http').left = 1, 'new')`,
};

describe.each(NODES)('a test on %s', (_, node) => {
  it('shares the process, but no modules and globals', async () => {
    const { first, again } = await runTwice(
      "globalThis.left = (globalThis.left || 0) + 1, require('fs'), globalThis.left",
      node,
    );
    expect(again).toEqual(first);
  });

  it.each(Object.keys(LEAKS))('does not find %s that another one left', async (name) => {
    const { first, again } = await runTwice(LEAKS[name] ?? '', node);
    expect([first?.is, again?.is ?? 'new']).toEqual(['new', 'new']);
  });

  it('gets from Node.js what is an instance of the classes that it sees', async () => {
    const expression = `(() => {
      let error;
      try { require('fs').readFileSync('/missing'); } catch (caught) { error = caught; }
      return [Buffer.from('a') instanceof Uint8Array, error instanceof Error, require('crypto').randomBytes(1) instanceof Uint8Array,
        require('util').types.isPromise(Promise.resolve()), require('url').parse('a:b') instanceof Object, [] instanceof Array].join();
    })()`;
    const { first, again } = await runTwice(expression, node);
    expect([first?.is, again?.is]).toEqual(Array(2).fill('true,true,true,true,true,true'));
  });
});

describe('tests of one formula', () => {
  const log = `require('fs').appendFileSync(args.log, process.pid + '\\n')`;
  const code = `module.exports = async ({ args }) => { ${log}; if (args.exit) process.exit(1); if (args.fail) throw new Error('a'); return { raw: {} }; };`;

  async function runTests(args: readonly object[], words: readonly string[] = []) {
    const file = join(folderWith(), 'log');
    const tests = args.map((one) => ({ args: { ...one, log: file }, expect: { raw: {} } }));
    const cwd = folderWith(cardFiles(BARE, { 'code.js': code, 'tests/a.json': JSON.stringify(tests) }));
    const { out } = await run(['formula', 'test', '.', '--json', ...words], { cwd });
    const outcomes = JSON.parse(out).items.map(({ outcome }: { outcome: string }) => outcome);
    const pids = readFileSync(file, 'utf8').trim().split('\n');
    return { outcomes, runs: pids.length, processes: new Set(pids).size };
  }

  it('share as many processes as there are cores', async () => {
    const { outcomes, processes } = await runTests(Array(8).fill({}));
    expect(outcomes).toEqual(Array(8).fill('passed'));
    expect(processes).toBeLessThanOrEqual(availableParallelism());
  });

  it('have a process each with --isolate', async () => {
    expect(await runTests(Array(5).fill({}), ['--isolate'])).toMatchObject({ processes: 5 });
  });

  it('run again in a process of their own if they fail, and end the one that they used', async () => {
    const args = [{}, {}, {}, {}, { fail: true }, {}, { exit: true }, {}, {}];
    const { outcomes, runs } = await runTests(args);
    expect(outcomes).toEqual(args.map((one) => ('fail' in one || 'exit' in one ? 'failed' : 'passed')));
    expect(runs).toBeGreaterThan(args.length);
  });

  it('have the same results with --isolate', async () => {
    const cwd = join(import.meta.dirname, '../../..');
    const results = await Promise.all(
      [[], ['--isolate']].map(async (words) => {
        const { out } = await run(['formula', 'test', 'formulas-example', '--json', ...words], { cwd });
        const { items } = JSON.parse(out) as { items: object[] };
        return items.map((item) => ({ ...item, duration_ms: 0 }));
      }),
    );
    expect(results[0]).toEqual(results[1]);
  });
});
