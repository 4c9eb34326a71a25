/** Responds to requests with the doubles of a test. */
import type { ServerResponse } from 'node:http';
import { reportCall, toJsonMember } from '../child/channel.ts';
import { delay as startDelay } from '../child/clock.ts';
import { isSubset } from '../subset.ts';
import { createSystemError, refuse } from './connections.ts';
import { compress } from './content-encoding.ts';
import type { DoubleResponse, HttpDouble } from './doubles.ts';
import type { Serve } from './loopback-server.ts';
import { matchesHeaders, matchesRequest } from './match-request.ts';
import { readBody } from './request-body.ts';

/** Responds with the first double that matches and is not used up; reports the call either way. */
export function respondWith(doubles: readonly HttpDouble[]): Serve {
  const left = doubles.map(({ times = 1 }) => (times === 'any' ? Infinity : times));
  return ({ request, incoming, bytes, connection }, out) => {
    const body = readBody(bytes, incoming.headers['content-type']);
    const index = doubles.findIndex(
      (double, i) =>
        (left[i] ?? 0) > 0 &&
        matchesRequest(double.request, request) &&
        (double.body === undefined || isSubset(double.body, body)) &&
        matchesHeaders(double.headers, incoming.headers),
    );
    const double = doubles[index];
    if (!double) return refuse(connection, request, body, incoming.headers);
    left[index] = (left[index] ?? 0) - 1;
    reportCall(
      `"http":${JSON.stringify(request)}${toJsonMember('body', body)}${toJsonMember('headers', incoming.headers)},"double":${index}`,
    );
    // The response, or an error of the formula's end of the connection.
    const { response, error } = double;
    const finish = () => {
      if (error !== undefined) connection.socket.destroy(createSystemError(error, connection));
      else if (response) send(response, out, incoming.method);
    };
    const delay = response?.delay_ms ?? 0;
    if (delay === 0) finish();
    else connection.socket.once('close', startDelay(finish, delay));
  };
}

function encodeBody({ json, text, base64 = '' }: DoubleResponse): [type: string | undefined, body: Buffer] {
  if (json !== undefined) return ['application/json', Buffer.from(JSON.stringify(json))];
  return text === undefined
    ? [undefined, Buffer.from(base64, 'base64')]
    : ['text/plain; charset=utf-8', Buffer.from(text)];
}

function send(response: DoubleResponse, out: ServerResponse, method?: string): void {
  const [type, body] = encodeBody(response);
  const { status, headers = {} } = response;
  out.sendDate = false;
  if (type !== undefined) out.setHeader('content-type', type);
  let encoding = '';
  for (const [name, value] of Object.entries(headers)) {
    if (/^content-encoding$/i.test(name)) encoding = String(value);
    // Another length would truncate the body; a response to HEAD has none.
    const isLength = /^(content-length|transfer-encoding)$/i.test(name);
    if (!isLength || method === 'HEAD') out.setHeader(name, value as string | string[]);
  }
  out.statusCode = status;
  // Base64 is sent as it is; JSON and text are what the client decodes.
  out.end(type === undefined ? body : compress(body, encoding));
}
