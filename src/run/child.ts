/**
 * The script of a formula's process, compiled to one file for Node.js 16 and newer. Its argument is the process of the
 * tool. It reads a token and a request from stdin, and writes messages to descriptor 3, each after the token. The globals
 * that it needs are captured before the formula is loaded, which may replace them.
 */

import { endOutput, readNextRequest, request, send } from './child/channel.ts';
import { clearTimers, seedRandom, stopClock } from './child/clock.ts';
import { awaitEnd, fail, hasEnded, resetOutcome, sendExit, sendResponse } from './child/outcome.ts';
import { restoreState, saveState } from './child/process-state.ts';
import { createBtDouble, recordBt } from './doubles/bt.ts';
import { loadCode, provideModules } from './doubles/module-doubles.ts';
import { prepareNetwork } from './doubles/network.ts';
import type { ChildRequest } from './protocol.ts';

const { parse } = JSON;
const [, , toolPid] = process.argv;

/** The value of `req.bt`. */
function createClient({ bt, doubles, isRecorded }: ChildRequest): unknown {
  if (doubles?.bt) return createBtDouble(doubles.bt);
  if (bt === undefined) return null;
  return isRecorded ? recordBt(require(bt)) : require(bt);
}

/** Loads the code, with the doubles of a test. */
async function loadFormula(request: ChildRequest): Promise<unknown> {
  const { code, file, doubles, isNetworkClosed, isRecorded, isNetworkUsed = false } = request;
  const isReplaced = isNetworkClosed || isRecorded || (doubles?.http ?? []).length > 0;
  const ready = isReplaced && prepareNetwork(request);
  // So that the server is not taken for something that the code left behind.
  if (ready && isNetworkUsed) await ready();
  if (request.isShared) saveState(code, isNetworkUsed);
  const formula = loadCode(code, file);
  if (ready) await ready();
  return formula;
}

function prepareProcess({ file, doubles, inspectPort }: ChildRequest): boolean {
  send(`{"started":"${process.versions.node}"}`);
  process.on('uncaughtException', (error) => fail('unhandled', error));
  process.on('beforeExit', () => {
    if (!hasEnded()) sendExit('unsettled');
  });
  process.argv = [process.execPath, file];
  process.execArgv = [];
  endWithTool();
  if (inspectPort !== undefined && !waitForDebugger(inspectPort)) return false;
  provideModules(doubles?.modules ?? {});
  return true;
}

/** Calls the function of the formula, and reports the outcome. */
async function invoke(): Promise<void> {
  let formula: unknown;
  let client: unknown;
  if (request.now !== undefined) stopClock(request.now);
  if (request.seed !== undefined) seedRandom(request.seed);
  try {
    client = createClient(request);
  } catch (error) {
    return fail('bt', error);
  }
  try {
    formula = await loadFormula(request);
  } catch (error) {
    return fail('load', error);
  }
  if (typeof formula !== 'function') return sendExit('no-function', `,"found":"${typeof formula}"`);
  const call = formula as (request: object) => unknown;
  const { args, configuration, inspectPort } = request;
  let response: unknown;
  try {
    if (inspectPort !== undefined) breakAtCall(call);
    response = await call({ args: parse(args), configuration: parse(configuration), bt: client });
  } catch (error) {
    return fail('call', error);
  }
  if (!hasEnded()) sendResponse(response);
}

/** Runs one invocation, or those of several tests, as long as they leave nothing behind. */
async function main(): Promise<void> {
  if (!prepareProcess(request)) return;
  // The state is saved when the script itself is loaded.
  if (request.isShared) await new Promise<void>((done) => void setImmediate(done));
  do {
    resetOutcome();
    await invoke();
    if (!request.isShared || !hasEnded()) return;
    clearTimers();
    const { isQuick = false } = request;
    if (!(await restoreState(isQuick)) || !(isQuick || endOutput())) return awaitEnd();
    send('{"isReusable":true}');
  } while (readNextRequest());
}

/** Listens on loopback and blocks until a debugger attaches; false if the port is in use. */
function waitForDebugger(port: number): boolean {
  const inspector = require('node:inspector') as typeof import('node:inspector');
  try {
    inspector.open(port, '127.0.0.1');
  } catch {
    // Newer releases throw if the port is in use; in older ones the URL is undefined.
  }
  if (inspector.url() === undefined) {
    sendExit('port-in-use', `,"port":${port}`);
    return false;
  }
  send('{"inspecting":true}');
  inspector.waitForDebugger();
  send('{"attached":true}');
  return true;
}

/** A debugger stops at the first statement of the function. */
function breakAtCall(call: object): void {
  const { Session } = require('node:inspector') as typeof import('node:inspector');
  const session = new Session();
  session.connect();
  const name = '__formulary_function__';
  const holder = globalThis as Record<string, unknown>;
  holder[name] = call;
  session.post('Debugger.enable');
  session.post('Runtime.evaluate', { expression: name }, (_, { result }) => {
    session.post('Debugger.setBreakpointOnFunctionCall' as 'Debugger.enable', { objectId: result.objectId } as object);
  });
  delete holder[name];
}

const WATCH_MS = 500;

/** Starts a thread, which no endless loop blocks, that ends this process and its group when the tool is gone. */
function endWithTool(): void {
  const { Worker } = require('node:worker_threads') as typeof import('node:worker_threads');
  const group = process.platform === 'win32' ? process.pid : -process.pid;
  // The tool may have ended before this process asks for its parent.
  const watch = `const parent = ${process.ppid};
    const isGone = () => {
      try { return process.ppid !== parent || !process.kill(${toolPid}, 0); } catch ({ code }) { return code === 'ESRCH'; }
    };
    setInterval(() => { if (isGone()) process.kill(${group}, 'SIGKILL'); }, ${WATCH_MS});`;
  new Worker(watch, { eval: true, stdin: false }).unref();
}

main();
