/**
 * Runs one formula in a process of its own. Compiled to one script without imports of ours, for Node.js 16 and newer.
 * A token and a request come on stdin. What is said goes to descriptor 3, each line behind the token, which the formula
 * never sees: whatever it prints, replaces or pollutes, all was kept here before its first line ran.
 */
import { request, say } from './child/channel.ts';
import { waitForDebugger } from './child/debugger.ts';
import { guardInternals, hideScript } from './child/guards.ts';
import { loadCode } from './child/load-code.ts';
import { fail, hasEnded, sayResponse } from './child/outcome.ts';
import { createBtDouble } from './doubles/bt-double.ts';
import { provideModules } from './doubles/module-doubles.ts';
import { prepareNetwork } from './doubles/network.ts';
import { recordBt } from './doubles/record-bt.ts';
import { endWithTool } from './end-with-tool.ts';

const { parse, stringify } = JSON;
const { code, file, bt, doubles, isNetworkClosed = false, isRecorded = false, inspectPort, isWatched } = request;
const args: unknown = parse(request.args);
const configuration: unknown = parse(request.configuration);

/** What the code gets as `req.bt`. */
function createClient(): unknown {
  if (doubles?.bt) return createBtDouble(doubles.bt);
  if (bt === undefined) return null;
  return isRecorded ? recordBt(require(bt)) : require(bt);
}

/** Loads the code, with the modules and the network of a test. */
async function prepareFormula(): Promise<unknown> {
  provideModules(doubles?.modules ?? {});
  const http = doubles?.http ?? [];
  const isReplaced = isNetworkClosed || isRecorded || http.length > 0;
  const ready = isReplaced && prepareNetwork({ isClosed: isNetworkClosed, isRecorded, doubles: http }, code);
  const formula = loadCode(code, file);
  if (ready) await ready();
  return formula;
}

async function main(): Promise<void> {
  say(`{"started":"${process.versions.node}"}`);
  process.on('uncaughtException', (error) => fail('unhandled', error));
  process.on('beforeExit', () => {
    if (!hasEnded()) say('{"unsettled":true}');
  });
  process.argv = [process.execPath, file];
  process.execArgv = [];
  guardInternals();
  hideScript();
  if (!isWatched) endWithTool();
  if (inspectPort !== undefined && !waitForDebugger(inspectPort)) return;
  let formula: unknown;
  let client: unknown;
  try {
    client = createClient();
  } catch (error) {
    return fail('bt', error);
  }
  try {
    formula = await prepareFormula();
  } catch (error) {
    return fail('load', error);
  }
  if (typeof formula !== 'function') return say(`{"noFunction":${stringify(typeof formula)}}`);
  const call = formula as (request: object) => unknown;
  let response: unknown;
  try {
    // A debugger stops here, at the call of the exported function.
    // biome-ignore lint/suspicious/noDebugger: it is for the user's debugger
    if (inspectPort !== undefined) debugger;
    response = await call({ args, configuration, bt: client });
  } catch (error) {
    return fail('call', error);
  }
  if (!hasEnded()) sayResponse(response);
}

main();
