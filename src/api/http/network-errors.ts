/** Converts network errors to errors for the user. Pure. */
import { CliError } from '../../errors.ts';
import { describeRequest, type ErrorContext, formatCheckHint, formatDoctorHint } from '../response-errors.ts';
import type { NetworkError, NetworkErrorKind } from './http.ts';

/** The outcome of a write is unknown if the request may have arrived. */
export function requestFailedError(
  error: NetworkError,
  { operation, request, serviceName, mayHaveBeenApplied, identity }: ErrorContext,
  attempts: number,
): CliError {
  const isOutcomeUnknown = operation.method !== 'GET' && (error.mayHaveArrived || mayHaveBeenApplied);
  const { cause, hint } = describeNetworkError(error);
  const attemptText = attempts > 1 ? ` after ${attempts} attempts` : '';
  const message = `could not ${operation.description}: ${describeRequest(request, serviceName)} failed${attemptText}${error.proxy ? ' at the proxy' : ''}: ${cause} (${error.code})`;
  return new CliError(isOutcomeUnknown ? 'unknown' : 'unavailable', message, {
    cause: error,
    status: error.status,
    hint:
      isOutcomeUnknown && operation.check
        ? formatCheckHint(operation.check)
        : error.kind === 'memory'
          ? hint
          : `${hint}\n${formatDoctorHint(identity)}`,
  });
}

interface Explanation {
  cause: string;
  hint: string;
}

/** The cause of an error, and a hint. */
export function describeNetworkError(error: NetworkError): Explanation {
  const { cause, hint } =
    error.kind === 'certificate' ? describeCertificateError(error) : EXPLANATIONS[error.kind](error);
  if (!error.proxy || error.kind.startsWith('proxy-')) return { cause, hint };
  const isProxyUrlCorrect = error.kind === 'certificate' || error.kind === 'timeout';
  return { cause, hint: isProxyUrlCorrect ? hint : `Check the proxy URL in ${error.proxy.source}.` };
}

const EXPLANATIONS: Readonly<Record<Exclude<NetworkErrorKind, 'certificate'>, (error: NetworkError) => Explanation>> = {
  refused: () => ({
    cause: 'connection refused',
    hint: 'Check that the service is running, and the host and port of the base URL.',
  }),
  'host-not-found': () => ({
    cause: 'host not found',
    hint: 'Check the spelling of the base URL, and the network connection.',
  }),
  tls: ({ code }) =>
    /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code)
      ? {
          cause: 'the server does not use TLS on this port',
          hint: 'Check the port of the base URL, and whether it must start with http://.',
        }
      : {
          cause: 'the TLS handshake failed',
          hint: 'Check the base URL, and which versions of TLS the service supports.',
        },
  handshake: () => ({
    cause: 'the connection was closed during the TLS handshake',
    hint: 'Check that the port uses HTTPS, or try again later.',
  }),
  timeout: ({ mayHaveArrived, limitMs }) => ({
    cause: `timed out after ${limitMs / 1000} s waiting for ${mayHaveArrived ? 'the response' : 'the connection'}`,
    hint: 'Try again, or increase --timeout and --retry-timeout.',
  }),
  reset: () => ({
    cause: 'the connection was closed before the response was complete',
    hint: 'Try again later, and check whether the base URL must start with http:// or https://.',
  }),
  truncated: () => ({ cause: 'the response was truncated', hint: 'Try again later.' }),
  undecodable: () => ({
    cause: 'the response cannot be decompressed',
    hint: 'Check the base URL, and whether a proxy changes responses.',
  }),
  'not-http': () => ({
    cause: 'the response is not HTTP/1.1',
    hint: 'Check the port of the base URL, and whether it must start with https://.',
  }),
  'too-large': ({ code }) => ({
    cause: code === 'UND_ERR_HEADERS_OVERFLOW' ? 'the response headers exceed 16 KiB' : 'the response is too large',
    hint: 'Check the base URL.',
  }),
  memory: () => ({
    cause: 'the memory limit of this process is too low',
    hint: 'The HTTP parser reserves 10 GB of address space (not of memory).\nTo remove the limit, run: ulimit -v unlimited',
  }),
  'proxy-auth': ({ proxy }) => ({
    cause: proxy?.credentials ? 'the user name or password was rejected' : 'authentication required',
    hint: `Set user name and password in ${proxy?.source}: http://user:password@host:port (special characters as %XX).`,
  }),
  'proxy-denied': ({ proxy }) => ({
    cause: 'connection not allowed',
    hint: `Ask the administrator of the proxy, set another one in ${proxy?.source}, or exempt the service with NO_PROXY.`,
  }),
  'proxy-unreachable': () => ({
    cause: 'the service is not reachable',
    hint: 'Check the base URL, or exempt the service with NO_PROXY.',
  }),
  other: () => ({ cause: 'the connection failed', hint: 'Try again later.' }),
};

const TRUST_HINT =
  'If your organization uses its own certificate authority, pass its CA file with --ca-file or NODE_EXTRA_CA_CERTS.\nIf this computer trusts it, set NODE_USE_SYSTEM_CA=1 (Node.js 22.19 and newer).';

function describeCertificateError({ code, cause }: NetworkError): Explanation {
  if (/ALTNAME|HOSTNAME/.test(code)) {
    const { subjectaltname } = (cause as { cert?: { subjectaltname?: string } } | undefined)?.cert ?? {};
    const names = subjectaltname ? ` (${subjectaltname.slice(0, 200)})` : '';
    return { cause: `the certificate is for another host${names}`, hint: 'Check the host of the base URL.' };
  }
  const found = CERTIFICATE_PROBLEMS.find(([codes]) => codes.test(code));
  return { cause: `the certificate ${found?.[1] ?? 'is not trusted'}`, hint: found?.[2] ?? TRUST_HINT };
}

const CLOCK_HINT = "Check this computer's clock. If it is correct, the service operator must renew the certificate.";

const CERTIFICATE_PROBLEMS: readonly [codes: RegExp, problem: string, hint: string][] = [
  [/EXPIRED/, 'has expired', CLOCK_HINT],
  [/NOT_YET_VALID/, 'is not valid yet', CLOCK_HINT],
  [/DEPTH_ZERO_SELF_SIGNED/, 'is self-signed and not trusted', TRUST_HINT],
  [/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/, 'is from an unknown certificate authority', TRUST_HINT],
];
