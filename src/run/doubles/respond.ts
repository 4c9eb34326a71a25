/** Responds to requests with the doubles of a test. */
import type { ServerResponse } from 'node:http';
import { reportCall, toJsonMember } from '../child/channel.ts';
import { isSubset } from '../subset.ts';
import { type RedirectedConnection, refuse, takeStack } from './connections.ts';
import type { DoubleResponse, HttpDouble } from './doubles.ts';
import type { Serve } from './loopback-server.ts';
import { matchesRequest } from './match-request.ts';
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
        (double.body === undefined || isSubset(double.body, body)),
    );
    const double = doubles[index];
    if (!double) {
      refuse(connection, request, body);
      return;
    }
    left[index] = (left[index] ?? 0) - 1;
    takeStack(request, connection);
    reportCall(`"http":${JSON.stringify(request)}${toJsonMember('body', body)},"double":${index}`);
    writeResponse(double, connection, out);
  };
}

/** Sends the response, or destroys the formula's end of the connection with the error. */
function writeResponse({ response, error }: HttpDouble, connection: RedirectedConnection, out: ServerResponse): void {
  const finish = () => {
    if (error !== undefined) connection.socket.destroy(createSystemError(error, connection));
    else if (response) send(response, out);
  };
  const delay = response?.delay_ms ?? 0;
  if (delay > 0) setTimeout(finish, delay);
  else finish();
}

function send({ status, headers = {}, json, text, base64 }: DoubleResponse, out: ServerResponse): void {
  const [type, body] =
    json !== undefined
      ? ['application/json', Buffer.from(JSON.stringify(json))]
      : text !== undefined
        ? ['text/plain; charset=utf-8', Buffer.from(text)]
        : [undefined, Buffer.from(base64 ?? '', 'base64')];
  out.sendDate = false;
  if (type !== undefined) out.setHeader('content-type', type);
  for (const [name, value] of Object.entries(headers)) {
    // Another length would truncate the body.
    if (!/^(content-length|transfer-encoding)$/i.test(name)) out.setHeader(name, value as string | string[]);
  }
  out.statusCode = status;
  out.end(body);
}

const SYSCALLS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'getaddrinfo',
  EAI_AGAIN: 'getaddrinfo',
  ECONNRESET: 'read',
  EPIPE: 'write',
};

const REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self signed certificate in certificate chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unable to verify the first certificate',
};

/** The error that Node.js creates for a code. */
function createSystemError(code: string, { host, port }: RedirectedConnection): Error {
  const { constants } = require('node:os') as typeof import('node:os');
  const errno = (constants.errno as Record<string, number>)[code];
  if (errno === undefined && !Object.hasOwn(SYSCALLS, code))
    return Object.assign(new Error(REASONS[code] ?? code), { code });
  const syscall = SYSCALLS[code] ?? 'connect';
  const target = syscall === 'getaddrinfo' ? ` ${host}` : syscall === 'connect' ? ` ${host}:${port}` : '';
  const members = { code, errno: errno === undefined ? -3008 : -errno, syscall };
  return Object.assign(
    new Error(`${syscall} ${code}${target}`),
    members,
    syscall === 'getaddrinfo' && { hostname: host },
  );
}
