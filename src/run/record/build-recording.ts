/** Converts a recorded run to a test without secrets. Pure. */

import { toExpectedError } from '../cases/compare-outcome.ts';
import type { Expectation } from '../cases/parse-tests.ts';
import type { BtOutcome, DoubleResponse, Doubles, HttpDouble } from '../doubles/doubles.ts';
import type { InvocationReport } from '../failure.ts';
import type { RecordedCall } from '../protocol.ts';
import { createRedactor, omitSecretMembers } from './redact.ts';

export interface RecordedRun {
  name: string;
  args: unknown;
  configuration: unknown;
  calls: readonly RecordedCall[];
  /** The doubles that responded to other calls. */
  doubles?: Doubles | undefined;
  expect: Expectation;
}

/** The test, and the stored calls for messages. */
export function buildRecording({ name, args, configuration, calls, doubles: used = {}, expect }: RecordedRun) {
  const httpDoubles = [...(used.http ?? []), ...calls.flatMap((call) => ('http' in call ? [call.http] : []))];
  const requests = httpDoubles.map(({ request }) => request);
  const { redact, redactRequest } = createRedactor(configuration as object, [args, calls, used, expect], requests);
  const redactDouble = ({ request, body, response, ...others }: HttpDouble): HttpDouble => ({
    request: redactRequest(request),
    // Text is not compared, since it may be computed from a secret.
    ...(typeof body === 'object' && { body: redact(omitSecretMembers(body)) }),
    ...(response && { response: redactResponse(response, redact) }),
    ...(redact(others) as object),
  });
  const http = httpDoubles.map(redactDouble);
  const bt = redact({ ...used.bt, ...groupBt(calls) }) as Record<string, BtOutcome[]>;
  const doubles = {
    ...(used.modules && { modules: used.modules }),
    ...((used.bt || Object.keys(bt).length > 0) && { bt }),
    ...(http.length > 0 && { http }),
  };
  const test = {
    name,
    args: redact(args),
    configuration: redact(configuration),
    ...(Object.keys(doubles).length > 0 && { doubles }),
    expect: redact(expect),
  };
  const stored = [
    ...http.map(({ request, response, error }) => `${request} (${response ? response.status : error})`),
    ...Object.entries(bt).map(([method, outcomes]) => `bt.${method} (${outcomes.length})`),
  ];
  return { test, stored };
}

function redactResponse({ base64, ...response }: DoubleResponse, redact: (value: unknown) => unknown): DoubleResponse {
  if (base64 === undefined) return redact(response) as DoubleResponse;
  const bytes = String(redact(Buffer.from(base64, 'base64').toString('latin1')));
  return { ...(redact(response) as DoubleResponse), base64: Buffer.from(bytes, 'latin1').toString('base64') };
}

function groupBt(calls: readonly RecordedCall[]): Record<string, BtOutcome[]> {
  const methods: Record<string, BtOutcome[]> = {};
  for (const call of calls) {
    if (!('bt' in call)) continue;
    const outcome = 'throws' in call ? { throws: call.throws } : { returns: call.returns };
    methods[call.bt] = [...(methods[call.bt] ?? []), outcome];
  }
  return methods;
}

/** What a test of the run expects; undefined if the code neither returned nor threw. */
export function toExpectation({ response, failure }: InvocationReport): Expectation | undefined {
  return response ?? (failure?.thrown && { error: toExpectedError(failure.thrown) });
}
