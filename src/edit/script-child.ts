/** The process of `formula edit --script`: loads the script, and passes formulas to its default export. */
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { endWithTool } from '../run/end-with-tool.ts';
import type { ScriptError, ScriptFormula, ScriptReply, ScriptRequest } from './script-protocol.ts';

type Script = (formula: ScriptFormula) => unknown;

let script: Script | undefined;
let isWorking = false;

const send = (reply: ScriptReply) => process.send?.(reply);

async function reply(request: ScriptRequest): Promise<ScriptReply> {
  if ('formula' in request) return change(request.formula);
  process.argv = [process.execPath, request.script];
  const { default: found } = (await import(pathToFileURL(request.script).href)) as { default?: unknown };
  if (typeof found !== 'function') return { problem: 'must export a function as its default' };
  script = found as Script;
  return { ready: true };
}

/** Keys that the script does not return are taken from the formula object, which it may have changed. */
async function change(formula: ScriptFormula): Promise<ScriptReply> {
  const hasCode = formula.code !== undefined;
  const returned = await script?.(formula);
  if (returned !== undefined && returned !== null && !isResult(returned))
    return {
      problem: `must return nothing or an object with manifest or code (got ${inspect(returned, { depth: 0, breakLength: Number.POSITIVE_INFINITY }).slice(0, 80)})`,
    };
  const { manifest, code } = { ...formula, ...(returned as object | null | undefined) };
  if (typeof code !== (hasCode ? 'string' : 'undefined'))
    return {
      problem: hasCode ? `must leave code a string (got ${typeof code})` : 'must not add code to a folder without',
    };
  if (code?.isWellFormed() === false) return { problem: 'must return code without unpaired surrogates' };
  const json = JSON.stringify(manifest);
  if (typeof manifest !== 'object' || json === undefined)
    return { problem: `must leave the manifest an object (got ${typeof manifest})` };
  return { manifest: JSON.parse(json), code };
}

const isResult = (value: unknown) =>
  typeof value === 'object' && value !== null && ('manifest' in value || 'code' in value);

function describe(error: unknown): ScriptError {
  if (!(error instanceof Error)) return { name: undefined, message: inspect(error), stack: undefined };
  const { name, message, stack } = error;
  return { name, message, stack };
}

process.on('message', async (request: ScriptRequest) => {
  isWorking = true;
  // So that the process runs out of work, and ends, if the script waits for something that never happens.
  process.channel?.unref();
  const result = await reply(request).catch((error: unknown) => ({ thrown: describe(error) }));
  isWorking = false;
  process.channel?.ref();
  send(result);
});
process.on('uncaughtException', (error) => send({ thrown: describe(error) }));
process.on('beforeExit', () => {
  if (isWorking) send({ problem: 'waits for something that never happens' });
});
process.on('disconnect', () => process.exit());
endWithTool();
