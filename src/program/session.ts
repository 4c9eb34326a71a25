/** From flags to the seam that requests go through; what a target needs is loaded only for that target. */
import { createSend, type Send } from '../api/client.ts';
import { shownExchange } from '../api/http/debug-log.ts';
import type { Exchange, WireAnswer } from '../api/http/http.ts';
import type { Patience } from '../api/retry/send-with-retry.ts';
import type { Filter, Host } from '../host/host.ts';
import { steadyClock } from '../host/monotonic-clock.ts';
import type { Formula } from '../model.ts';
import { visible } from '../output/escape.ts';
import { addressOf } from '../settings/base-url.ts';
import {
  type RemoteTarget,
  resolveTarget,
  type ServiceFlags,
  type Target,
  type TargetName,
  targetNameOf,
} from '../settings/resolve-target.ts';
import { type CommandLine, commandLine } from '../text/shell-quote.ts';
import { targetWords } from './target-flags.ts';

type ConnectFlags = ServiceFlags & { verbose?: boolean | undefined };

/** Resolves the settings and opens the way to the service that they name. Raises usage or denied. */
export async function connect(flags: ConnectFlags, host: Host): Promise<Send> {
  return (await connection(flags, host)).send;
}

/** Keeps a copy of a formula before it is replaced or deleted. Raises usage (2) when it cannot. */
export type KeepCopy = (operation: 'update' | 'delete', formula: Formula) => void;

/** What a command that writes works with. */
export interface Writing {
  send: Send;
  target: TargetName;
  keepCopy: KeepCopy;
  /** Before the first write of a run that replaces or deletes. Raises usage (2) where copies cannot be kept. */
  requireHistory(): void;
}

/**
 * Connects, and works while no other command of this user writes to the same service; so what `work` looks up is
 * still true when it writes.
 */
export async function connectToWrite<T>(
  flags: ConnectFlags & { history?: boolean | undefined },
  host: Host,
  work: (writing: Writing) => Promise<T>,
  traffic: Traffic = ONE_BY_ONE,
): Promise<T> {
  const { takeTurn } = await import('../state/write-lock.ts');
  const { keepCopy, pruneHistory, requireHistory } = await import('../state/history.ts');
  const { send, place, target } = await connection(flags, host, traffic);
  const endTurn = await takeTurn(host, place, { warn: send.warn, stopping: host.stopping });
  try {
    return await work({
      send,
      target,
      keepCopy: (operation, formula) => {
        if (flags.history !== false) keepCopy(host, target.name, operation, formula);
      },
      requireHistory: () => {
        if (flags.history !== false) requireHistory(host);
      },
    });
  } finally {
    pruneHistory(host);
    endTurn();
  }
}

/** How many requests travel at once, and how many begin in a second at most. */
export interface Traffic {
  atOnce: number;
  perSecond?: number | undefined;
  /** Hears each answer as it comes. */
  heard?: (answer: WireAnswer) => void;
}

const ONE_BY_ONE: Traffic = { atOnce: 1 };

/** The way to a service; `place` is its address, or the data file of the embedded one. */
interface Connection {
  send: Send;
  target: TargetName;
  place: string;
}

/** The connection of a command line; a key is read, and a warning said, once. */
const opened = new WeakMap<ConnectFlags, Promise<Connection>>();

/** Resolves the settings and opens the way to the service that they name, under its name. Raises usage or denied. */
export function connection(flags: ConnectFlags, host: Host, traffic: Traffic = ONE_BY_ONE): Promise<Connection> {
  const connecting =
    opened.get(flags) ?? resolveTarget(flags, host).then((target) => openTarget(target, flags, host, traffic));
  opened.set(flags, connecting);
  return connecting;
}

/** Opens the way to a target; what it needs is loaded only for its kind. */
export async function openTarget(
  resolved: Target,
  flags: ConnectFlags,
  host: Host,
  traffic: Traffic = ONE_BY_ONE,
): Promise<Connection> {
  const { perSecond } = traffic;
  const target = targetNameOf(resolved, flags, host);
  stopBySignal(flags, host);
  const patience = {
    budgetMs: resolved.retryTimeoutMs,
    now: steadyClock(host.now),
    sleep: host.sleep,
    stopping: host.stopping,
    random: Math.random,
    gapMs: perSecond === undefined ? 0 : 1000 / perSecond,
    warn: (text: string) => host.stderr.write(`${visible(text)}\n`),
  };
  if (resolved.kind === 'local') {
    const { openLocal } = await import('../service/local.ts');
    const service = openLocal(resolved.dataFile);
    const exchange = shown(service.answer, '', undefined, flags, host);
    return {
      send: createSend(exchange, 'the embedded service', patience, {
        keyWords: 'no key',
        hide: (text) => text,
        command: commandTo(flags, host),
      }),
      place: `local:${resolved.dataFile}`,
      target,
    };
  }
  const place = addressOf(resolved.service.baseUrl);
  return { send: await openRemote(resolved, patience, flags, host, traffic), place, target };
}

async function openRemote(
  { service, keySource, warnings }: RemoteTarget,
  patience: Patience,
  flags: ServiceFlags,
  host: Host,
  { atOnce, heard }: Traffic,
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
      openTransport(service, { connections: atOnce, nodeVersion: host.nodeVersion }),
      address,
      keyHeader,
      flags,
      host,
    ),
    heard,
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
function told(exchange: Exchange, heard: Traffic['heard']): Exchange {
  if (!heard) return exchange;
  return async (request, mostMs) => {
    const answer = await exchange(request, mostMs);
    heard(answer);
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
