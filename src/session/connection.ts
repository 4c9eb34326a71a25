/** Opens the connection that sends all requests of a command. */
import { createServiceClient, type ServiceClient } from '../api/client.ts';
import { withDebugLog } from '../api/http/debug-log.ts';
import type { HttpExchange, HttpResponse } from '../api/http/http.ts';
import type { RetryContext } from '../api/retry/send-with-retry.ts';
import type { Host, Redactor } from '../host/host.ts';
import { createMonotonicClock } from '../host/monotonic-clock.ts';
import { escapeControls } from '../output/escape.ts';
import { wrapMessage } from '../output/wrap-message.ts';
import { formatBaseUrl } from '../settings/base-url.ts';
import type { RemoteTarget, ServiceFlags, Target, TargetName } from '../settings/resolve-target.ts';
import { type CommandFormatter, createCommandFormatter } from '../text/shell-quote.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { formatTargetFlags } from './target-flags.ts';

type ConnectionFlags = ServiceFlags & { verbose?: boolean | undefined };

export interface RequestOptions {
  /** The maximum number of requests in flight. */
  concurrency?: number;
  /** The maximum number of requests per second. */
  requestsPerSecond?: number | undefined;
  /** Called for each response. */
  onResponse?: (response: HttpResponse) => void;
  /** Says first on stderr which service the command uses. */
  namesService?: boolean;
}

export interface Connection {
  client: ServiceClient;
  target: TargetName;
  /** Identifies the service for the write lock: its base URL, or the data file of the embedded one. */
  lockName: string;
  /** The service, profile, and target, for messages. */
  service: string;
}

/** Opens a connection to a resolved target. Loads only what the kind of target needs. */
export async function openConnection(
  resolved: Target,
  flags: ConnectionFlags,
  host: Host,
  options: RequestOptions = {},
): Promise<Connection> {
  const { requestsPerSecond } = options;
  const target = resolved.name;
  stopOnSignal(flags, host);
  const retryContext = {
    budgetMs: resolved.retryTimeoutMs,
    now: createMonotonicClock(host.now),
    sleep: host.sleep,
    abortSignal: host.abortSignal,
    random: Math.random,
    minIntervalMs: requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond,
    warn: (text: string) => host.stderr.write(`${wrapMessage(escapeControls(text), host.stderr)}\n`),
  };
  if (resolved.kind === 'local') {
    const { openLocalService } = await import('../service/local.ts');
    const service = openLocalService(resolved.dataFile, host.abortSignal);
    const exchange = applyDebugFlag(service.handle, '', undefined, flags, host);
    return {
      client: createServiceClient(exchange, 'the embedded service', retryContext, {
        keyDescription: 'no key',
        redact: (text) => text,
        command: createServiceCommandFormatter(flags, host),
      }),
      lockName: `local:${resolved.dataFile}`,
      service: formatService(resolved),
      target,
    };
  }
  const lockName = formatBaseUrl(resolved.service.baseUrl);
  const client = await openRemoteClient(resolved, retryContext, flags, host, options);
  return { client, lockName, target, service: formatService(resolved) };
}

function formatService(resolved: Target): string {
  const { name, isShared } = resolved.name;
  const url = resolved.kind === 'local' ? 'the embedded service' : formatBaseUrl(resolved.service.baseUrl);
  const profile = resolved.kind === 'remote' && resolved.profile !== undefined ? [`profile ${resolved.profile}`] : [];
  const details = [...profile, ...(isShared && name !== url ? [`target ${name}`] : [])];
  return details.length === 0 ? url : `${url} (${details.join(', ')})`;
}

async function openRemoteClient(
  { service, keySource, warnings }: RemoteTarget,
  retryContext: RetryContext,
  flags: ServiceFlags,
  host: Host,
  { concurrency = 1, onResponse }: RequestOptions,
): Promise<ServiceClient> {
  const { openTransport } = await import('../api/http/transport.ts');
  const { baseUrl, key, keyHeader, proxy, unencryptedHost } = service;
  const displayUrl = formatBaseUrl(baseUrl);
  const redact: Redactor = (text, isContent) => key.redactIn(text, isContent);
  // A key from the environment already has a redactor.
  if (keySource !== 'environment') host.addRedactor(redact);
  const password = proxy?.credentials?.password;
  if (password) host.addRedactor((text, isContent) => password.redactIn(text, isContent));
  warnings.forEach(retryContext.warn);
  if (unencryptedHost !== undefined)
    retryContext.warn(`warning: the API key is sent unencrypted to ${unencryptedHost}`);
  const proxyNote = proxy ? ` (through the proxy ${proxy.url.host} from ${proxy.source})` : '';
  if (flags.debug && proxyNote) retryContext.warn(`requests go to ${displayUrl}${proxyNote}`);
  const exchange = withListener(
    applyDebugFlag(
      openTransport(service, { connections: concurrency, nodeVersion: host.nodeVersion }),
      displayUrl,
      keyHeader,
      flags,
      host,
    ),
    onResponse,
  );
  const identity = {
    baseUrl,
    keyDescription: key.describe(),
    keySource,
    isDebugging: flags.debug,
    redact,
    command: createServiceCommandFormatter(flags, host),
  };
  return createServiceClient(exchange, displayUrl + proxyNote, retryContext, identity);
}

/** Formats commands for the same service, for hints. */
const createServiceCommandFormatter =
  (flags: ServiceFlags, { platform }: Host): CommandFormatter =>
  (line, ...args) =>
    createCommandFormatter(platform)(line, ...args) + formatTargetFlags(flags, platform);

function withListener(exchange: HttpExchange, onResponse: RequestOptions['onResponse']): HttpExchange {
  if (!onResponse) return exchange;
  return async (request, timeoutMs) => {
    const response = await exchange(request, timeoutMs);
    onResponse(response);
    return response;
  };
}

/** With --debug, logs each request and response on stderr. */
function applyDebugFlag(
  exchange: HttpExchange,
  serviceName: string,
  keyHeader: string | undefined,
  flags: ServiceFlags,
  host: Host,
): HttpExchange {
  return flags.debug
    ? withDebugLog(exchange, serviceName, keyHeader, host.stderr.redact, (line) =>
        host.stderr.write(`${escapeControls(line)}\n`),
      )
    : exchange;
}
