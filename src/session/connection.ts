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
import { resolveConnectionSettings } from '../settings/connection-settings.ts';
import type { FoundKey } from '../settings/key-sources.ts';
import { findUsedProfile, type ServiceAddress } from '../settings/resolve-address.ts';
import {
  requireTrustedDataFile,
  resolveTargetName,
  type ServiceFlags,
  type Target,
  type TargetName,
} from '../settings/resolve-target.ts';
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

/** Opens a connection. Loads only what the kind of target needs. Raises usage (2) for invalid settings of the network. */
export async function openConnection(
  target: Target,
  flags: ConnectionFlags,
  host: Host,
  options: RequestOptions = {},
): Promise<Connection> {
  const { address, limits } = target;
  const name = resolveTargetName(address, flags, host);
  const warn = (text: string) => host.stderr.write(`${wrapMessage(escapeControls(text), host.stderr)}\n`);
  const opened =
    address.kind === 'local' ? await openLocal(host) : await openRemote(target, flags, host, warn, options);
  stopOnSignal(flags, host);
  const { url, keyHeader, lockName, identity } = opened;
  const { requestsPerSecond } = options;
  const retryContext = {
    budgetMs: limits.retryTimeoutMs,
    now: createMonotonicClock(host.now),
    sleep: host.sleep,
    abortSignal: host.abortSignal,
    concurrency: options.concurrency,
    random: Math.random,
    minIntervalMs: requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond,
    warn,
  };
  const log = (line: string) => host.stderr.write(`${escapeControls(line)}\n`);
  const exchange = flags.debug
    ? withDebugLog(opened.exchange, url, keyHeader, host.stderr.redact, log)
    : opened.exchange;
  const command: CommandFormatter = (line, ...args) =>
    createCommandFormatter(host.platform)(line, ...args) + formatTargetFlags(flags, host.platform);
  const client = createServiceClient(exchange, opened.name, retryContext, { ...identity, command });
  const profile = address.kind === 'local' ? undefined : findUsedProfile(address)?.name;
  const details = [
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    ...(name.isShared && name.name !== url ? [`target ${name.name}`] : []),
  ];
  const service = (url || 'the embedded service') + (details.length === 0 ? '' : ` (${details.join(', ')})`);
  return { client, target: name, profile, lockName, service };
}

/** What is sent to, and as whom. */
interface OpenService {
  exchange: HttpExchange;
  /** '' for the embedded service. */
  url: string;
  keyHeader?: string;
  lockName: string;
  /** For messages. */
  name: string;
  identity: Omit<RequestIdentity, 'command'>;
}

async function openLocal(host: Host): Promise<OpenService> {
  const dataFile = requireTrustedDataFile(host);
  const { openLocalService } = await import('../service/local.ts');
  return {
    exchange: openLocalService(dataFile, host.abortSignal).handle,
    url: '',
    lockName: `local:${dataFile}`,
    name: 'the embedded service',
    identity: { keyDescription: 'no key', redact: (text) => text },
  };
}

async function openRemote(
  { address, found, limits: { timeoutMs } }: Target,
  flags: ServiceFlags,
  host: Host,
  warn: (text: string) => void,
  { concurrency: connections = 1 }: RequestOptions,
): Promise<OpenService> {
  const { baseUrl, keyHeader, warnings } = address as ServiceAddress;
  const { key, keySource } = found as FoundKey;
  const settings = await resolveConnectionSettings(baseUrl, flags, host);
  const { openTransport } = await import('../api/http/transport.ts');
  const { proxy, unencryptedHost } = settings;
  const url = formatBaseUrl(baseUrl);
  const redact: Redactor = (text, isContent) => key.redactIn(text, isContent);
  // A key from the environment already has a redactor.
  if (keySource !== 'environment') host.addRedactor(redact);
  const password = proxy?.credentials?.password;
  if (password) host.addRedactor((text, isContent) => password.redactIn(text, isContent));
  warnings.forEach(warn);
  if (unencryptedHost !== undefined) warn(`warning: the API key is sent unencrypted to ${unencryptedHost}`);
  const proxyNote = proxy ? ` (through the proxy ${proxy.url.host} from ${proxy.source})` : '';
  if (flags.debug && proxyNote) warn(`requests go to ${url}${proxyNote}`);
  const service = { baseUrl, key, keyHeader, timeoutMs, ...settings };
  return {
    exchange: openTransport(service, { connections, nodeVersion: host.nodeVersion }),
    url,
    keyHeader,
    lockName: url,
    name: url + proxyNote,
    identity: { baseUrl, keyDescription: key.describe(), keySource, isDebugging: flags.debug, redact },
  };
}
