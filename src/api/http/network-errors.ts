/** What it means for the user that no complete answer came: one message, one exit code. Pure. */
import { CliError } from '../../errors.ts';
import type { ErrorContext } from '../response-errors.ts';
import type { NetworkError, NetworkErrorKind } from './http.ts';

/** Nothing changed if the request was never sent; a write that was sent is unknown. */
export function requestFailedError(
  error: NetworkError,
  { operation, request, serviceName, mayHaveBeenApplied, identity }: ErrorContext,
  attempts: number,
): CliError {
  const isOutcomeUnknown = operation.method !== 'GET' && (error.mayHaveArrived || mayHaveBeenApplied);
  const { cause, hint } = describeNetworkError(error);
  const location = error.proxy ? ' at the proxy' : '';
  const message = `could not ${operation.description}: ${operation.method} ${request.path} to ${serviceName} failed${location}, ${cause} (${error.code})${attempts > 1 ? `, ${attempts} times` : ''}`;
  return new CliError(isOutcomeUnknown ? 'unknown' : 'unavailable', message, {
    cause: error,
    status: error.status,
    hint:
      isOutcomeUnknown && operation.check
        ? `it may have been done all the same; look with: ${operation.check}`
        : error.kind === 'memory'
          ? hint
          : `${hint}; ${identity.command('doctor')} looks at each step of the way`,
  });
}

interface Explanation {
  cause: string;
  hint: string;
}

/** What happened, in words, and what to do about it. */
export function describeNetworkError(error: NetworkError): Explanation {
  const { cause, hint } =
    error.kind === 'certificate' ? describeCertificateError(error) : EXPLANATIONS[error.kind](error);
  if (!error.proxy || error.kind.startsWith('proxy-')) return { cause, hint };
  const isProxyUrlCorrect = error.kind === 'certificate' || error.kind === 'timeout';
  return { cause, hint: isProxyUrlCorrect ? hint : `check the address of the proxy in ${error.proxy.source}` };
}

const EXPLANATIONS: Readonly<Record<Exclude<NetworkErrorKind, 'certificate'>, (fault: NetworkError) => Explanation>> = {
  refused: () => ({
    cause: 'the connection was refused',
    hint: 'is the service running there? check the base address and its port',
  }),
  'host-not-found': () => ({
    cause: 'the host was not found',
    hint: 'check the spelling of the base address, and the network',
  }),
  tls: ({ code }) =>
    /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code)
      ? {
          cause: 'what answers there does not speak TLS',
          hint: 'is it an address with http://, or a port of another service?',
        }
      : {
          cause: 'no secure connection could be made',
          hint: 'check the base address: which TLS does the service speak?',
        },
  handshake: () => ({
    cause: 'the connection was closed before it was secure',
    hint: 'is it a port with https://? else try again later',
  }),
  timeout: ({ mayHaveArrived, limitMs }) => ({
    cause: `${mayHaveArrived ? 'there was no whole answer' : 'there was no connection'} within the limit of ${limitMs / 1000} s`,
    hint: 'try again, or allow more time with --timeout, and with --retry-timeout for all tries together',
  }),
  reset: () => ({
    cause: 'the connection was closed before the response was complete',
    hint: 'Try again later, and check whether the base URL must start with http:// or https://.',
  }),
  truncated: () => ({ cause: 'the response was truncated', hint: 'try again later' }),
  undecodable: () => ({
    cause: 'the response cannot be decompressed',
    hint: 'check the base URL, and whether a proxy changes responses',
  }),
  'not-http': () => ({
    cause: 'what answers there does not speak HTTP/1.1',
    hint: 'check the base address and its port: is it http:// or https://, and is this the service?',
  }),
  'too-large': ({ code }) => ({
    cause: code === 'UND_ERR_HEADERS_OVERFLOW' ? 'the response headers exceed 16 KiB' : 'the answer is too large',
    hint: 'check the base address: is this the service?',
  }),
  memory: () => ({
    cause: 'the memory limit of this process is too low',
    hint: 'the HTTP parser reserves 10 GB of address space (not of memory); remove the limit with: ulimit -v unlimited',
  }),
  'proxy-auth': ({ proxy }) => ({
    cause: proxy?.credentials
      ? 'which does not take this user name and password'
      : 'which wants a user name and password',
    hint: `give them in ${proxy?.source}: http://user:password@host:port, special characters as %XX`,
  }),
  'proxy-denied': ({ proxy }) => ({
    cause: 'which does not allow the connection',
    hint: `ask who runs the proxy, set another in ${proxy?.source}, or exempt the service with NO_PROXY`,
  }),
  'proxy-unreachable': () => ({
    cause: 'which could not reach the service',
    hint: 'check the base address, and whether the proxy may reach it; NO_PROXY exempts a service',
  }),
  other: () => ({ cause: 'the connection failed', hint: 'try again later' }),
};

const TRUST_HINT =
  'if it is of your company or your own, name the file of its authority with --ca-file or in NODE_EXTRA_CA_CERTS';

function describeCertificateError({ code, cause }: NetworkError): Explanation {
  if (/ALTNAME|HOSTNAME/.test(code)) {
    const { subjectaltname } = (cause as { cert?: { subjectaltname?: string } } | undefined)?.cert ?? {};
    const names = subjectaltname ? ` (${subjectaltname.slice(0, 200)})` : '';
    return { cause: `its certificate is for another host${names}`, hint: 'check the host in the base address' };
  }
  const found = CERTIFICATE_PROBLEMS.find(([codes]) => codes.test(code));
  return { cause: `its certificate ${found?.[1] ?? 'is not trusted'}`, hint: found?.[2] ?? TRUST_HINT };
}

const CLOCK_HINT = 'is the clock of this machine right? else who runs the service has to renew it';

const CERTIFICATE_PROBLEMS: readonly [codes: RegExp, problem: string, hint: string][] = [
  [/EXPIRED/, 'has expired', CLOCK_HINT],
  [/NOT_YET_VALID/, 'is not valid yet', CLOCK_HINT],
  [/DEPTH_ZERO_SELF_SIGNED/, 'is self-signed, by nobody whom this machine trusts', TRUST_HINT],
  [/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/, 'comes from an authority that this machine does not know', TRUST_HINT],
];
