/** Converts a recorded run to a test without secrets. Pure. */

import type { Expectation } from '../cases/parse-tests.ts';
import type { BtOutcome, Doubles, HttpDouble } from '../doubles/doubles.ts';
import type { InvocationReport } from '../failure.ts';
import type { InvocationResult } from '../invoke.ts';
import type { RecordedCall } from '../protocol.ts';
import { findSecrets, hideInRequest, hideSecrets, omitSecretMembers, type Replacements } from './hide-secrets.ts';

export interface RecordedRun {
  name: string;
  args: unknown;
  configuration: object;
  calls: readonly RecordedCall[];
  expect: Expectation;
}

export interface Recording {
  test: { name: string; args: unknown; configuration: unknown; doubles?: Doubles; expect: unknown };
  /** The stored calls, for messages. */
  stored: string[];
}

export function buildRecording({ name, args, configuration, calls, expect }: RecordedRun): Recording {
  const requests = calls.flatMap((call) => ('http' in call ? [call.http.request] : []));
  const replacements = findSecrets(configuration, [args, calls, expect], requests);
  const http = calls.flatMap((call) => ('http' in call ? [hideInDouble(call.http, replacements)] : []));
  const bt = groupBt(calls, replacements);
  const doubles = { ...(Object.keys(bt).length > 0 && { bt }), ...(http.length > 0 && { http }) };
  const test = {
    name,
    args: hideSecrets(args, replacements),
    configuration: hideSecrets(configuration, replacements),
    ...(Object.keys(doubles).length > 0 && { doubles }),
    expect: hideSecrets(expect, replacements),
  };
  const stored = [
    ...http.map(({ request, response, error }) => `${request} (${response ? response.status : error})`),
    ...Object.entries(bt).map(([method, outcomes]) => `bt.${method} (${outcomes.length})`),
  ];
  return { test, stored };
}

function hideInDouble({ request, body, response, error }: HttpDouble, replacements: Replacements): HttpDouble {
  const hiddenBody = hideSecretBody(body, replacements);
  return {
    request: hideInRequest(request, replacements),
    ...(hiddenBody !== undefined && { body: hiddenBody }),
    ...(response && { response: hideInResponse(response, replacements) }),
    ...(error !== undefined && { error }),
  };
}

function hideInResponse(response: NonNullable<HttpDouble['response']>, replacements: Replacements) {
  const { json, text, headers } = response;
  return {
    ...response,
    ...(headers && { headers: hideSecrets(headers, replacements) as NonNullable<typeof headers> }),
    ...(json !== undefined && { json: hideSecrets(json, replacements) }),
    ...(text !== undefined && { text: hideSecrets(text, replacements) as string }),
  };
}

/** The part of a body to match: without secrets, and without text, which may be computed from a secret. */
const hideSecretBody = (body: unknown, replacements: Replacements): unknown =>
  typeof body === 'object' ? hideSecrets(omitSecretMembers(body), replacements) : undefined;

function groupBt(calls: readonly RecordedCall[], replacements: Replacements): Record<string, BtOutcome[]> {
  const methods: Record<string, BtOutcome[]> = {};
  for (const call of calls) {
    if (!('bt' in call)) continue;
    const outcome = 'throws' in call ? { throws: call.throws } : { returns: call.returns };
    methods[call.bt] = [...(methods[call.bt] ?? []), hideSecrets(outcome, replacements) as BtOutcome];
  }
  return methods;
}

/** What a test of the run expects; undefined if the code neither returned nor threw. */
export function toExpectation(
  { exitReason }: InvocationResult,
  { response, failure }: InvocationReport,
): Expectation | undefined {
  if (response) return response;
  if (exitReason.kind !== 'failed' || !failure?.thrown) return undefined;
  const { message, status } = failure.thrown;
  return { error: { message, ...(status !== undefined && { status }) } };
}
