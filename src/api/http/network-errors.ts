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

type Explanation = readonly [cause: string, hint: string];

/** The cause of an error, and a hint. */
export function describeNetworkError(error: NetworkError): { cause: string; hint: string } {
  const explanation = EXPLANATIONS[error.kind];
  const [cause, hint] = typeof explanation === 'function' ? explanation(error) : explanation;
  if (!error.proxy || error.kind.startsWith('proxy-')) return { cause, hint };
  const isProxyUrlCorrect = error.kind === 'certificate' || error.kind === 'timeout';
  return { cause, hint: isProxyUrlCorrect ? hint : `Check the proxy URL in ${error.proxy.source}.` };
}

const TRUST_HINT =
  'If your organization uses its own certificate authority, pass its CA file with --ca-file or NODE_EXTRA_CA_CERTS.\nIf this computer trusts it, set NODE_USE_SYSTEM_CA=1 (Node.js 22.19 and newer).';

function explainCertificateError({ code, cause }: NetworkError): Explanation {
  if (/ALTNAME|HOSTNAME/.test(code)) {
    const { subjectaltname } = (cause as { cert?: { subjectaltname?: string } } | undefined)?.cert ?? {};
    const names = subjectaltname ? ` (${subjectaltname.slice(0, 200)})` : '';
    return [`the certificate is for another host${names}`, 'Check the host of the base URL.'];
  }
  const [, problem, hint] = CERTIFICATE_PROBLEMS.find(([codes]) => codes.test(code)) ?? [];
  return [`the certificate ${problem ?? 'is not trusted'}`, hint ?? TRUST_HINT];
}

const EXPLANATIONS: Readonly<Record<NetworkErrorKind, Explanation | ((error: NetworkError) => Explanation)>> = {
  certificate: explainCertificateError,
  refused: ['connection refused', 'Check that the service is running, and the host and port of the base URL.'],
  'host-not-found': ['host not found', 'Check the spelling of the base URL, and the network connection.'],
  tls: ({ code }) =>
    /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code)
      ? [
          'the server does not use TLS on this port',
          'Check the port of the base URL, and whether it must start with http://.',
        ]
      : ['the TLS handshake failed', 'Check the base URL, and which versions of TLS the service supports.'],
  handshake: [
    'the connection was closed during the TLS handshake',
    'Check that the port uses HTTPS, or try again later.',
  ],
  timeout: ({ mayHaveArrived, limitMs }) => [
    `timed out after ${limitMs / 1000} s waiting for ${mayHaveArrived ? 'the response' : 'the connection'}`,
    'Try again, or increase --timeout and --retry-timeout.',
  ],
  reset: [
    'the connection was closed before the response was complete',
    'Try again later, and check whether the base URL must start with http:// or https://.',
  ],
  truncated: ['the response was truncated', 'Try again later.'],
  undecodable: ['the response cannot be decompressed', 'Check the base URL, and whether a proxy changes responses.'],
  'not-http': [
    'the response is not HTTP/1.1',
    'Check the port of the base URL, and whether it must start with https://.',
  ],
  'too-large': ({ code }) => [
    code === 'UND_ERR_HEADERS_OVERFLOW' ? 'the response headers exceed 16 KiB' : 'the response is too large',
    'Check the base URL.',
  ],
  memory: [
    'the memory limit of this process is too low',
    'The HTTP parser reserves 10 GB of address space (not of memory).\nTo remove the limit, run: ulimit -v unlimited',
  ],
  'proxy-auth': ({ proxy }) => [
    proxy?.credentials ? 'the user name or password was rejected' : 'authentication required',
    `Set user name and password in ${proxy?.source}: http://user:password@host:port (special characters as %XX).`,
  ],
  'proxy-denied': ({ proxy }) => [
    'connection not allowed',
    `Ask the administrator of the proxy, set another one in ${proxy?.source}, or exempt the service with NO_PROXY.`,
  ],
  'proxy-unreachable': ['the service is not reachable', 'Check the base URL, or exempt the service with NO_PROXY.'],
  other: ['the connection failed', 'Try again later.'],
};

const CLOCK_HINT = "Check this computer's clock. If it is correct, the service operator must renew the certificate.";

const CERTIFICATE_PROBLEMS: readonly [codes: RegExp, problem: string, hint: string][] = [
  [/EXPIRED/, 'has expired', CLOCK_HINT],
  [/NOT_YET_VALID/, 'is not valid yet', CLOCK_HINT],
  [/DEPTH_ZERO_SELF_SIGNED/, 'is self-signed and not trusted', TRUST_HINT],
  [/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/, 'is from an unknown certificate authority', TRUST_HINT],
];
