/**
 * Runs one formula in a process of its own. Compiled to one script without imports of ours, for Node.js 16 and newer.
 * A token and a request come on stdin. What is said goes to descriptor 3, each line behind the token, which the formula
 * never sees: whatever it prints, replaces or pollutes, all was kept here before its first line ran.
 */
import { request, say } from './child/channel.ts';
import { guardInternals } from './child/guards.ts';
import { loadCode } from './child/load-code.ts';
import { fail, hasEnded, sayResponse } from './child/outcome.ts';
import { endWithTool } from './end-with-tool.ts';

const { parse, stringify } = JSON;
const { code, file, bt } = request;
const args: unknown = parse(request.args);
const configuration: unknown = parse(request.configuration);

async function main(): Promise<void> {
  say(`{"started":"${process.versions.node}"}`);
  process.on('uncaughtException', (error) => fail('unhandled', error));
  process.on('beforeExit', () => {
    if (!hasEnded()) say('{"unsettled":true}');
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
    formula = loadCode(code, file);
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
  if (!hasEnded()) sayResponse(response);
}

main();
