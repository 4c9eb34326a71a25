/** Explains the outcome of an invocation: failure message, location, and warnings. Pure. */
import type { SourceLocation } from '../code/bundle/bundle.ts';
import { describeType, isObject } from '../text/json-type.ts';
import { pick } from '../text/pick.ts';
import type { InvocationResult } from './invoke.ts';
import type { ExitReason, LostValue, Phase, SerializedError } from './protocol.ts';
import { findOwnFrames, type OwnCode } from './stack-frames.ts';

/** Why there is no valid response. */
export interface InvocationFailure {
  message: string;
  hint?: string;
  /** Positions in the formula's files, innermost first. */
  locations: readonly SourceLocation[];
  thrown?: SerializedError;
}

export interface InvocationReport {
  /** The response, if it is valid (spec 2.6). */
  response: FormulaResponse | undefined;
  failure: InvocationFailure | undefined;
  warnings: readonly string[];
}

/** The members of a response that the service returns. */
export interface FormulaResponse {
  raw?: unknown;
  tokenize?: unknown;
}

/** `timeoutSeconds`: the limit of the invocation. */
export function explainInvocation(result: InvocationResult, code: OwnCode, timeoutSeconds: number): InvocationReport {
  const { exitReason, file, lateErrors, openResources, hasSurvivor } = result;
  const ownCode: OwnCode = { ...code, loadedAs: file };
  const after = lateErrors.map(
    (thrown) => `after the response, the code failed with ${formatThrown(thrown)}${formatLocation(thrown, ownCode)}`,
  );
  if (openResources.length > 0)
    after.push(
      `after the response, something was still running (${formatOpenResources(openResources)}) and was stopped`,
    );
  if (hasSurvivor) after.push('a process that the code started left its process group and may still be running');
  if (exitReason.kind !== 'response') {
    return { response: undefined, failure: toFailure(exitReason, ownCode, timeoutSeconds), warnings: after };
  }
  const { errors, warnings } = checkResponse(exitReason.response);
  const all = [...warnings, ...exitReason.lost.map(formatLostValue), ...after];
  if (errors.length > 0) {
    return { response: undefined, failure: { message: errors.join('; '), locations: [] }, warnings: all };
  }
  return { response: pickResponse(exitReason.response as FormulaResponse), failure: undefined, warnings: all };
}

/** The members of a response that it has. */
export const pickResponse = (response: FormulaResponse): FormulaResponse => pick(response, ['raw', 'tokenize']);

function toFailure(ended: Exclude<ExitReason, { kind: 'response' }>, ownCode: OwnCode, timeoutSeconds: number) {
  if (ended.kind === 'failed') return toThrownFailure(ended.error, ended.phase, ownCode);
  const format = MESSAGES[ended.kind] as (ended: unknown, timeoutSeconds: number) => string;
  const hint = HINTS[ended.kind];
  return { message: format(ended, timeoutSeconds), ...(hint && { hint }), locations: [] };
}

type Exit = Exclude<ExitReason, { kind: 'response' | 'failed' }>;

const MESSAGES: { [Kind in Exit['kind']]: (ended: Extract<Exit, { kind: Kind }>, timeoutSeconds: number) => string } = {
  memory: () => 'the code exceeded its memory limit (256 MiB of JavaScript values, 1 GiB in total)',
  unsettled: () => "the function's promise never settled",
  'too-deep': () => 'the response must be nested at most 1,000 levels deep',
  'no-debugger': () => 'no debugger attached within 60 s',
  stopped: () => 'interrupted',
  unanswered: () => 'the code made a call without a double',
  timeout: (_, seconds) => `the code did not end within ${seconds} s and was stopped`,
  exited: ({ signal, code }) =>
    `the code ended its process (${signal ?? `exit ${code}`}) before the function returned, so there is no result`,
  'no-function': ({ found }) => `the code must export a function (got ${addArticle(found)})`,
  'too-large': ({ bytes }) => `the response must be at most 20 MiB of JSON (got ${bytes} characters)`,
  'port-in-use': ({ port }) => `port ${port} is already in use`,
  'not-started': ({ reason }) => reason,
};

const HINTS: Readonly<Partial<Record<Exit['kind'], string>>> = {
  timeout: 'Check for an infinite loop, or raise the limit with --timeout SECONDS.',
  exited: 'Instead of exiting, return a response or throw an error.',
  'no-function': 'Export one, for example: module.exports = async ({ args, configuration }) => ({ raw: {} });',
};

const addArticle = (type: string) =>
  type === 'undefined' ? 'nothing' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

const PHASE_MESSAGES: Readonly<Record<Phase, string>> = {
  bt: 'could not load the stand-in for req.bt',
  load: 'the code failed to load',
  call: 'the code failed',
  unhandled: 'the code failed with an uncaught error outside the function',
  writing: 'could not serialize the response as JSON',
};

function toThrownFailure(thrown: SerializedError, phase: Phase, ownCode: OwnCode): InvocationFailure {
  const locations = thrown.stack ? findOwnFrames(thrown.stack, ownCode) : [];
  const facts = (['status', 'errors'] as const).flatMap((key) =>
    thrown[key] === undefined ? [] : [`${key}: ${JSON.stringify(thrown[key])}`],
  );
  const causes = thrown.causes ?? [];
  const title = `${PHASE_MESSAGES[phase]}: ${formatThrown(thrown)}${formatLocation(thrown, ownCode)}`;
  const hint = suggestMissingPackage(thrown) ?? suggestBt(thrown, ownCode);
  return { message: [title, ...facts, ...causes].join('\n'), ...(hint && { hint }), locations, thrown };
}

/** What the output tells of a thrown value. */
export const toErrorFacts = ({ isError, name, message, status, errors }: SerializedError) => {
  return { ...(isError && { name }), message, status, errors };
};

/** The error's name and message, without the list of files that Node.js adds to a missing module. */
function formatThrown({ isError, name, message }: SerializedError): string {
  const text = message.replace(/\nRequire stack:[\s\S]*$/, '');
  if (!isError) return `${text} (not an Error)`;
  if (text === '') return `${name || 'Error'} without a message`;
  return name && name !== 'Error' ? `${name}: ${text}` : text;
}

function formatLocation({ stack = '' }: SerializedError, ownCode: OwnCode): string {
  const [location] = findOwnFrames(stack, ownCode);
  return location ? ` (${location.file}:${location.line}:${location.column})` : '';
}

function suggestMissingPackage({ code, message }: SerializedError): string | undefined {
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  const [, name = ''] = /^Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  if (/^[./]/.test(name))
    return 'Only the code file is sent to the service. To bundle other files, use code.mjs or code.ts with import.';
  return `To install it, run: npm install ${name}\nThe service must have the package too. To bundle it, use code.mjs or code.ts.`;
}

/** The hint of a failure where the code used `bt` although it is null. */
export const BT_HINT = `bt is null, since it has no double. In formula run, pass one: --bt FILE
In a test, list its results: "doubles": {"bt": {"tokens.create": [{"returns": {}}]}}`;

/** Whether the code used `bt` where it is null: the line of the error names it. */
function suggestBt({ name, message, stack = '' }: SerializedError, { code = '', loadedAs = '' }: OwnCode) {
  if (name !== 'TypeError' || !/ of null\b|null\.| is null\b/.test(message)) return undefined;
  const at = stack.indexOf(`${loadedAs}:`);
  const line = code.split('\n')[Number.parseInt(stack.slice(at + loadedAs.length + 1), 10) - 1] ?? '';
  return at >= 0 && /\bbt\b/.test(line) ? BT_HINT : undefined;
}

const formatLostValue = ({ path, what }: LostValue) =>
  `${path === '' ? 'the response' : path} is ${what}, which JSON cannot represent and omits`;

const RESOURCE_NAMES: readonly [RegExp, string][] = [
  [/^Timeout$/, 'a timer'],
  [/^Immediate$/, 'an immediate'],
  [/TCP|TLS|HTTP/i, 'a connection'],
  [/^ProcessWrap$/, 'a process'],
  [/^FS/, 'a file'],
];

const formatOpenResources = (open: readonly string[]): string =>
  [...new Set(open.map((name) => RESOURCE_NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? name))].join(', ');

/** `undefined` means that the function returned no value. */
export function checkResponse(response: unknown): { errors: string[]; warnings: string[] } {
  const result: ReturnType<typeof checkResponse> = { errors: [], warnings: [] };
  if (!isObject(response)) {
    const message = 'the function must return an object with raw, tokenize, or both';
    result.errors.push(`${message} (got ${describeType(response)})`);
    return result;
  }
  for (const key of ['raw', 'tokenize'] as const) {
    const value = response[key];
    if (value === undefined || isObject(value)) continue;
    const message = `${key} must be an object (got ${describeType(value)})`;
    const isTolerated = value === null || (key === 'raw' && typeof value === 'string');
    result[isTolerated ? 'warnings' : 'errors'].push(message);
  }
  const others = Object.keys(response).filter((key) => key !== 'raw' && key !== 'tokenize');
  for (const key of others)
    result.warnings.push(`unknown key ${JSON.stringify(key)} in the response (expected raw or tokenize)`);
  if (response['raw'] === undefined && response['tokenize'] === undefined)
    result.warnings.push('the response has neither raw nor tokenize, so the invocation returns nothing');
  return result;
}
