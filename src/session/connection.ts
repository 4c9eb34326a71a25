/** Opens the connection that sends all requests of a command. */
import { createServiceClient, type ServiceClient } from '../api/client.ts';
import { withDebugLog } from '../api/http/debug-log.ts';
import type { HttpExchange } from '../api/http/http.ts';
import type { RequestIdentity } from '../api/response-errors.ts';
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
  /** Says first on stderr which service the command uses. */
  namesService?: boolean;
}

export interface Connection {
  client: ServiceClient;
  target: TargetName;
  /** The profile that the base URL comes from. */
  profile: string | undefined;
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
  stopOnSignal(flags, host);
  const { requestsPerSecond } = options;
  const retryContext = {
    budgetMs: resolved.retryTimeoutMs,
    now: createMonotonicClock(host.now),
    sleep: host.sleep,
    abortSignal: host.abortSignal,
    concurrency: options.concurrency,
    random: Math.random,
    minIntervalMs: requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond,
    warn: (text: string) => host.stderr.write(`${wrapMessage(escapeControls(text), host.stderr)}\n`),
  };
  const opened =
    resolved.kind === 'local'
      ? await openLocal(resolved.dataFile, host)
      : await openRemote(resolved, flags, host, retryContext.warn, options);
  const { url, keyHeader, lockName, name, identity } = opened;
  const log = (line: string) => host.stderr.write(`${escapeControls(line)}\n`);
  const exchange = flags.debug
    ? withDebugLog(opened.exchange, url, keyHeader, host.stderr.redact, log)
    : opened.exchange;
  const command: CommandFormatter = (line, ...args) =>
    createCommandFormatter(host.platform)(line, ...args) + formatTargetFlags(flags, host.platform);
  const client = createServiceClient(exchange, name, retryContext, { ...identity, command });
  const profile = resolved.kind === 'remote' ? resolved.profile : undefined;
  return { client, target: resolved.name, profile, lockName, service: formatService(resolved, profile) };
}

function formatService(resolved: Target, profile: string | undefined): string {
  const { name, isShared } = resolved.name;
  const url = resolved.kind === 'local' ? 'the embedded service' : formatBaseUrl(resolved.service.baseUrl);
  const details = [
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    ...(isShared && name !== url ? [`target ${name}`] : []),
  ];
  return details.length === 0 ? url : `${url} (${details.join(', ')})`;
}

/** What is sent to, and as whom. */
interface OpenService {
  exchange: HttpExchange;
  /** For --debug. */
  url: string;
  keyHeader?: string;
  lockName: string;
  /** For messages. */
  name: string;
  identity: Omit<RequestIdentity, 'command'>;
}

async function openLocal(dataFile: string, { abortSignal }: Host): Promise<OpenService> {
  const { openLocalService } = await import('../service/local.ts');
  return {
    exchange: openLocalService(dataFile, abortSignal).handle,
    url: '',
    lockName: `local:${dataFile}`,
    name: 'the embedded service',
    identity: { keyDescription: 'no key', redact: (text) => text },
  };
}

async function openRemote(
  { service, keySource, warnings }: RemoteTarget,
  { debug: isDebugging }: ServiceFlags,
  host: Host,
  warn: (text: string) => void,
  { concurrency: connections = 1 }: RequestOptions,
): Promise<OpenService> {
  const { openTransport } = await import('../api/http/transport.ts');
  const { baseUrl, key, keyHeader, proxy, unencryptedHost } = service;
  const url = formatBaseUrl(baseUrl);
  const redact: Redactor = (text, isContent) => key.redactIn(text, isContent);
  // A key from the environment already has a redactor.
  if (keySource !== 'environment') host.addRedactor(redact);
  const password = proxy?.credentials?.password;
  if (password) host.addRedactor((text, isContent) => password.redactIn(text, isContent));
  warnings.forEach(warn);
  if (unencryptedHost !== undefined) warn(`warning: the API key is sent unencrypted to ${unencryptedHost}`);
  const proxyNote = proxy ? ` (through the proxy ${proxy.url.host} from ${proxy.source})` : '';
  if (isDebugging && proxyNote) warn(`requests go to ${url}${proxyNote}`);
  return {
    exchange: openTransport(service, { connections, nodeVersion: host.nodeVersion }),
    url,
    keyHeader,
    lockName: url,
    name: url + proxyNote,
    identity: { baseUrl, keyDescription: key.describe(), keySource, isDebugging, redact },
  };
}
