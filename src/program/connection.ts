/** Opens the connection to a service, through which all requests of a command are sent. */
import { createSend, type Send } from '../api/client.ts';
import { shownExchange } from '../api/http/debug-log.ts';
import type { Exchange, WireAnswer } from '../api/http/http.ts';
import type { Patience } from '../api/retry/send-with-retry.ts';
import type { Filter, Host } from '../host/host.ts';
import { steadyClock } from '../host/monotonic-clock.ts';
import { visible } from '../output/escape.ts';
import { addressOf } from '../settings/base-url.ts';
import {
  type RemoteTarget,
  type ServiceFlags,
  type Target,
  type TargetName,
  targetNameOf,
} from '../settings/resolve-target.ts';
import { type CommandLine, commandLine } from '../text/shell-quote.ts';
import { targetWords } from './target-flags.ts';

type ConnectFlags = ServiceFlags & { verbose?: boolean | undefined };

/** How requests are sent. */
export interface RequestOptions {
  /** The maximum number of requests in flight. */
  concurrency?: number;
  /** The maximum number of requests that begin in a second. */
  requestsPerSecond?: number | undefined;
  /** Called for each response. */
  onResponse?: (response: WireAnswer) => void;
}

export interface Connection {
  send: Send;
  target: TargetName;
  /** Identifies the service for the write lock: its base URL, or the data file of the embedded one. */
  lockName: string;
}

/** Opens a connection to a resolved target. Loads only what the kind of target needs. */
export async function openTarget(
  resolved: Target,
  flags: ConnectFlags,
  host: Host,
  options: RequestOptions = {},
): Promise<Connection> {
  const { requestsPerSecond } = options;
  const target = targetNameOf(resolved, flags, host);
  stopBySignal(flags, host);
  const patience = {
    budgetMs: resolved.retryTimeoutMs,
    now: steadyClock(host.now),
    sleep: host.sleep,
    stopping: host.stopping,
    random: Math.random,
    gapMs: requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond,
    warn: (text: string) => host.stderr.write(`${visible(text)}\n`),
  };
  if (resolved.kind === 'local') {
    const { openLocal } = await import('../service/local.ts');
    const service = openLocal(resolved.dataFile, host.stopping);
    const exchange = shown(service.answer, '', undefined, flags, host);
    return {
      send: createSend(exchange, 'the embedded service', patience, {
        keyWords: 'no key',
        hide: (text) => text,
        command: commandTo(flags, host),
      }),
      lockName: `local:${resolved.dataFile}`,
      target,
    };
  }
  const lockName = addressOf(resolved.service.baseUrl);
  return { send: await openRemote(resolved, patience, flags, host, options), lockName, target };
}

async function openRemote(
  { service, keySource, warnings }: RemoteTarget,
  patience: Patience,
  flags: ServiceFlags,
  host: Host,
  { concurrency = 1, onResponse }: RequestOptions,
): Promise<Send> {
  const { openTransport } = await import('../api/http/transport.ts');
  const { baseUrl, key, keyHeader, proxy, unencryptedTo } = service;
  const address = addressOf(baseUrl);
  const hide: Filter = (text, isContent) => key.hideIn(text, isContent);
  // One from the environment is hidden already.
  if (keySource !== 'environment') host.hide(hide);
  const password = proxy?.login?.password;
  if (password) host.hide((text, isContent) => password.hideIn(text, isContent));
  warnings.forEach(patience.warn);
  if (unencryptedTo !== undefined) patience.warn(`warning: the key travels unencrypted to ${unencryptedTo}`);
  const road = proxy ? ` (through the proxy ${proxy.url.host} of ${proxy.source})` : '';
  if (flags.debug && road) patience.warn(`requests go to ${address}${road}`);
  const exchange = told(
    shown(
      openTransport(service, { connections: concurrency, nodeVersion: host.nodeVersion }),
      address,
      keyHeader,
      flags,
      host,
    ),
    onResponse,
  );
  const caller = { baseUrl, keyWords: key.describe(), hide, command: commandTo(flags, host) };
  return createSend(exchange, address + road, patience, caller);
}

/** Makes commands that ask the same service. */
const commandTo =
  (flags: ServiceFlags, { platform }: Host): CommandLine =>
  (line, ...args) =>
    commandLine(platform)(line, ...args) + targetWords(flags, platform);

/** From here on Ctrl-C lets the requests in flight finish; a person is told that it was heard. */
export function stopBySignal({ verbose }: { verbose?: boolean | undefined }, host: Host): void {
  const isFirst = host.catchSignals();
  if (!isFirst || !(host.stderr.isTerminal || verbose)) return;
  host.stopping.addEventListener('abort', () =>
    host.stderr.write('stopping when the requests in flight are answered; once more ends at once\n'),
  );
}

/** Passes answers on as they come. */
function told(exchange: Exchange, onResponse: RequestOptions['onResponse']): Exchange {
  if (!onResponse) return exchange;
  return async (request, mostMs) => {
    const answer = await exchange(request, mostMs);
    onResponse(answer);
    return answer;
  };
}

/** Under --debug each request and answer is said on stderr. */
function shown(
  exchange: Exchange,
  where: string,
  keyHeader: string | undefined,
  flags: ServiceFlags,
  host: Host,
): Exchange {
  return flags.debug
    ? shownExchange(exchange, where, keyHeader, host.stderr.hide, (line) => host.stderr.write(`${visible(line)}\n`))
    : exchange;
}
