/** What an invocation came to, in words: why it failed, and what is worth a warning. Pure. */
import type { SourceLocation } from '../code/bundle/bundle.ts';
import { checkResponse } from './contract.ts';
import type { InvocationResult } from './invoke.ts';
import type { ExitReason, LostValue, Phase, SerializedError } from './protocol.ts';
import { findOwnFrames, type OwnCode } from './stack-frames.ts';

/** Why there is no good response. */
export interface InvocationFailure {
  message: string;
  hint?: string;
  /** Where in the formula's files, innermost first. */
  locations: readonly SourceLocation[];
  /** What was thrown, where something was. */
  thrown?: SerializedError;
}

export interface InvocationReport {
  /** The response of a formula that kept its contract. */
  response: FormulaResponse | undefined;
  failure: InvocationFailure | undefined;
  warnings: readonly string[];
}

/** What the service returns of a response. */
export interface FormulaResponse {
  raw?: unknown;
  tokenize?: unknown;
}

/** Explains how an invocation ended; `timeoutSeconds` was its limit. */
export function explainInvocation(
  { exitReason, file, lateErrors, openResources, hasSurvivor }: InvocationResult,
  code: OwnCode,
  timeoutSeconds: number,
): InvocationReport {
  const ownCode: OwnCode = { ...code, loadedAs: file };
  const after = [
    ...lateErrors.map(
      (thrown) => `after the response the code failed with ${formatThrown(thrown)}${formatLocation(thrown, ownCode)}`,
    ),
    ...(openResources.length > 0
      ? [`after the response something was still running (${formatOpenResources(openResources)}); it was ended`]
      : []),
    ...(hasSurvivor
      ? ['a process that the code started has left its process group: it was not ended, and may run on']
      : []),
  ];
  if (exitReason.kind !== 'response') {
    return { response: undefined, failure: toFailure(exitReason, ownCode, timeoutSeconds), warnings: after };
  }
  const { errors, warnings } = checkResponse(exitReason.response);
  const all = [...warnings, ...exitReason.lost.map(formatLostValue), ...after];
  if (errors.length > 0) {
    return { response: undefined, failure: { message: errors.join('; '), locations: [] }, warnings: all };
  }
  const { raw, tokenize } = exitReason.response as FormulaResponse;
  const response = { ...(raw !== undefined && { raw }), ...(tokenize !== undefined && { tokenize }) };
  return { response, failure: undefined, warnings: all };
}

function toFailure(
  ended: Exclude<ExitReason, { kind: 'response' }>,
  ownCode: OwnCode,
  timeoutSeconds: number,
): InvocationFailure {
  switch (ended.kind) {
    case 'failed':
      return toThrownFailure(ended.error, ended.phase, ownCode);
    case 'timeout':
      return {
        message: `the code did not end within ${timeoutSeconds} s, and was stopped`,
        hint: 'look for a loop without end, or give it longer with --timeout SECONDS',
        locations: [],
      };
    case 'memory':
      return {
        message: 'the code used more memory than it is given (256 MiB of JavaScript values, 1 GiB in all)',
        locations: [],
      };
    case 'unsettled':
      return {
        message:
          'the promise of the function never settles: nothing is left that it could wait for, and there is no result',
        locations: [],
      };
    case 'exited':
      return {
        message: `the code ended its process (${ended.signal ?? `exit ${ended.code}`}) before the function returned, so there is no result`,
        hint: 'return a response, or throw an error, instead of ending the process',
        locations: [],
      };
    case 'no-function':
      return {
        message: `the code exports ${addArticle(ended.found)}; wanted is a function`,
        hint: 'module.exports = async ({ args, configuration }) => ({ raw: {} });',
        locations: [],
      };
    case 'too-large':
      return {
        message: `the response has ${ended.bytes} characters of JSON; at most 20 MiB are taken here`,
        locations: [],
      };
    case 'too-deep':
      return { message: 'the response is nested deeper than 1,000 levels', locations: [] };
    case 'port-in-use':
      return { message: `port ${ended.port} is already in use`, locations: [] };
    case 'no-debugger':
      return { message: 'no debugger attached within 60 s', locations: [] };
    case 'stopped':
      return { message: 'interrupted', locations: [] };
    case 'not-started':
      return { message: ended.reason, locations: [] };
  }
}

const addArticle = (type: string) =>
  type === 'undefined' ? 'nothing' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

const PHASE_MESSAGES: Readonly<Record<Phase, string>> = {
  bt: 'the stand-in for req.bt cannot be loaded',
  load: 'the code failed when it was loaded',
  call: 'the code failed',
  unhandled: 'the code failed outside of the function, where nothing catches it',
  writing: 'the response cannot be written as JSON',
};

function toThrownFailure(thrown: SerializedError, phase: Phase, ownCode: OwnCode): InvocationFailure {
  const locations = thrown.stack ? findOwnFrames(thrown.stack, ownCode) : [];
  const facts = (['status', 'errors'] as const).flatMap((key) =>
    thrown[key] === undefined ? [] : [`${key}: ${JSON.stringify(thrown[key])}`],
  );
  const causes = thrown.causes ?? [];
  const title = `${PHASE_MESSAGES[phase]}: ${formatThrown(thrown)}${formatLocation(thrown, ownCode)}`;
  const hint = suggestMissingPackage(thrown);
  return { message: [title, ...facts, ...causes].join('\n'), ...(hint && { hint }), locations, thrown };
}

/** The error's name and message, without the list of files that Node.js adds to a missing module. */
function formatThrown({ isError, name, message }: SerializedError): string {
  const text = message.replace(/\nRequire stack:[\s\S]*$/, '');
  if (!isError) return `${text}, which is not an Error`;
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
    return 'only the code file is sent to the service: use import in code.mjs or code.ts, which are bundled';
  return `run npm install ${name} in the formula's folder; the service must have the package too, or the code be bundled (code.mjs, code.ts)`;
}

const formatLostValue = ({ path, what }: LostValue) =>
  `${path === '' ? 'the response' : path} is ${what}, which JSON cannot represent; it is lost`;

const RESOURCE_NAMES: readonly [RegExp, string][] = [
  [/^Timeout$/, 'a timer'],
  [/^Immediate$/, 'an immediate'],
  [/TCP|TLS|HTTP/i, 'a connection'],
  [/^ProcessWrap$/, 'a process'],
  [/^(MessagePort|Worker)$/, 'a worker'],
  [/^FS/, 'a file'],
];

function formatOpenResources(open: readonly string[]): string {
  const words = open.map((name) => RESOURCE_NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? name);
  return [...new Set(words)].join(', ');
}
