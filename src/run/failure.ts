/** What an invocation came to, in words: why it failed, and what is worth a warning. Pure. */
import type { SourcePlace } from '../code/bundle/bundle.ts';
import { checkResponse } from './contract.ts';
import type { Invoked } from './invoke.ts';
import type { Ended, LostValue, Thrown, When } from './protocol.ts';
import { type OwnCode, ownFrames } from './stack-frames.ts';

/** Why there is no good response. */
export interface Failure {
  message: string;
  hint?: string;
  /** Where in the formula's files, innermost first. */
  places: readonly SourcePlace[];
  /** What was thrown, where something was. */
  thrown?: Thrown;
}

export interface Explained {
  /** The response of a formula that kept its contract. */
  response: Response | undefined;
  failure: Failure | undefined;
  warnings: readonly string[];
}

/** What the service returns of a response. */
export interface Response {
  raw?: unknown;
  tokenize?: unknown;
}

/** Explains how an invocation ended; `timeoutSeconds` was its limit. */
export function explain(
  { ended, file, late, open, hasSurvivor }: Invoked,
  sources: OwnCode,
  timeoutSeconds: number,
): Explained {
  const own: OwnCode = { ...sources, loadedAs: file };
  const after = [
    ...late.map((thrown) => `after the response the code failed with ${thrownTitle(thrown)}${placeText(thrown, own)}`),
    ...(open.length > 0 ? [`after the response something was still running (${openText(open)}); it was ended`] : []),
    ...(hasSurvivor
      ? ['a process that the code started has left its process group: it was not ended, and may run on']
      : []),
  ];
  if (ended.kind !== 'response') {
    return { response: undefined, failure: failureOf(ended, own, timeoutSeconds), warnings: after };
  }
  const { errors, warnings } = checkResponse(ended.response);
  const all = [...warnings, ...ended.lost.map(lostText), ...after];
  if (errors.length > 0) {
    return { response: undefined, failure: { message: errors.join('; '), places: [] }, warnings: all };
  }
  const { raw, tokenize } = ended.response as Response;
  const response = { ...(raw !== undefined && { raw }), ...(tokenize !== undefined && { tokenize }) };
  return { response, failure: undefined, warnings: all };
}

function failureOf(ended: Exclude<Ended, { kind: 'response' }>, own: OwnCode, timeoutSeconds: number): Failure {
  switch (ended.kind) {
    case 'failed':
      return thrownFailure(ended.error, ended.when, own);
    case 'timeout':
      return {
        message: `the code did not end within ${timeoutSeconds} s, and was stopped`,
        hint: 'look for a loop without end, or give it longer with --timeout SECONDS',
        places: [],
      };
    case 'memory':
      return {
        message: 'the code used more memory than it is given (256 MiB of JavaScript values, 1 GiB in all)',
        places: [],
      };
    case 'unsettled':
      return {
        message:
          'the promise of the function never settles: nothing is left that it could wait for, and there is no result',
        places: [],
      };
    case 'exited':
      return {
        message: `the code ended its process (${ended.signal ?? `exit ${ended.code}`}) before the function returned, so there is no result`,
        hint: 'return a response, or throw an error, instead of ending the process',
        places: [],
      };
    case 'no-function':
      return {
        message: `the code exports ${article(ended.found)}; wanted is a function`,
        hint: 'module.exports = async ({ args, configuration }) => ({ raw: {} });',
        places: [],
      };
    case 'too-large':
      return {
        message: `the response has ${ended.bytes} characters of JSON; at most 20 MiB are taken here`,
        places: [],
      };
    case 'too-deep':
      return { message: 'the response is nested deeper than 1,000 levels', places: [] };
    case 'stopped':
      return { message: 'interrupted', places: [] };
    case 'not-started':
      return { message: ended.reason, places: [] };
  }
}

const article = (type: string) =>
  type === 'undefined' ? 'nothing' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

const WHEN: Readonly<Record<When, string>> = {
  bt: 'the stand-in for req.bt cannot be loaded',
  load: 'the code failed when it was loaded',
  call: 'the code failed',
  unhandled: 'the code failed outside of the function, where nothing catches it',
  writing: 'the response cannot be written as JSON',
};

function thrownFailure(thrown: Thrown, when: When, own: OwnCode): Failure {
  const places = thrown.stack ? ownFrames(thrown.stack, own) : [];
  const facts = (['status', 'errors'] as const).flatMap((key) =>
    thrown[key] === undefined ? [] : [`${key}: ${JSON.stringify(thrown[key])}`],
  );
  const causes = thrown.causes ?? [];
  const title = `${WHEN[when]}: ${thrownTitle(thrown)}${placeText(thrown, own)}`;
  const hint = missingPackageHint(thrown);
  return { message: [title, ...facts, ...causes].join('\n'), ...(hint && { hint }), places, thrown };
}

/** The error's name and message, without the list of files that Node.js adds to a missing module. */
function thrownTitle({ isError, name, message }: Thrown): string {
  const text = message.replace(/\nRequire stack:[\s\S]*$/, '');
  if (!isError) return `${text}, which is not an Error`;
  if (text === '') return `${name || 'Error'} without a message`;
  return name && name !== 'Error' ? `${name}: ${text}` : text;
}

function placeText({ stack = '' }: Thrown, own: OwnCode): string {
  const [place] = ownFrames(stack, own);
  return place ? ` (${place.file}:${place.line}:${place.column})` : '';
}

function missingPackageHint({ code, message }: Thrown): string | undefined {
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  const [, name = ''] = /^Cannot find (?:module|package) '([^']+)'/.exec(message) ?? [];
  if (/^[./]/.test(name))
    return 'only the code file is sent to the service: use import in code.mjs or code.ts, which are bundled';
  return `run npm install ${name} in the formula's folder; the service must have the package too, or the code be bundled (code.mjs, code.ts)`;
}

const lostText = ({ path, what }: LostValue) =>
  `${path === '' ? 'the response' : path} is ${what}, which JSON cannot represent; it is lost`;

const OPEN_WORDS: readonly [RegExp, string][] = [
  [/^Timeout$/, 'a timer'],
  [/^Immediate$/, 'an immediate'],
  [/TCP|TLS|HTTP/i, 'a connection'],
  [/^ProcessWrap$/, 'a process'],
  [/^(MessagePort|Worker)$/, 'a worker'],
  [/^FS/, 'a file'],
];

function openText(open: readonly string[]): string {
  const words = open.map((name) => OPEN_WORDS.find(([pattern]) => pattern.test(name))?.[1] ?? name);
  return [...new Set(words)].join(', ');
}
