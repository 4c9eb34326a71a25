/** What `doctor` examines: the settings as far as they can be read, and one question to the service for all checks. */

import { checkReading } from '../api/formula-reads.ts';
import type { WireAnswer } from '../api/http/http.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { openTarget } from '../program/connection.ts';
import { type RoadSettings, roadSettings } from '../settings/connection-settings.ts';
import type { FoundKey } from '../settings/key-sources.ts';
import { findKey, type RemotePlace, resolvePlace } from '../settings/resolve-address.ts';
import {
  localTarget,
  remoteTarget,
  type ServiceFlags,
  type Target,
  type TimeLimits,
} from '../settings/resolve-target.ts';

/** What was found, or why it could not be. */
export type Attempt<T> = { value: T; error?: undefined } | { value?: undefined; error: CliError };

export interface Subject {
  host: Host;
  /** How long a check may take, in milliseconds. */
  limitMs: number;
  place: Attempt<{ kind: 'local' } | RemotePlace>;
  /** Of a service by HTTP; undefined where the settings name none. */
  remote: RemotePlace | undefined;
  road: Attempt<RoadSettings> | undefined;
  key: Attempt<FoundKey | undefined> | undefined;
  /** Asks the service, once for all checks; undefined where the settings do not allow it. */
  reading(): Promise<Reading | undefined>;
}

/** How the service answered a request that only reads. */
export interface Reading {
  error: CliError | undefined;
  /** The last answer, and when it came. */
  answer: WireAnswer | undefined;
  at: Date;
}

/** Reads the settings; what is wrong with them is kept for the checks. */
export async function readSubject(flags: ServiceFlags, limits: TimeLimits, host: Host): Promise<Subject> {
  const place = await attempt(() => resolvePlace(flags, host));
  const remote = place.value?.kind === 'remote' ? place.value : undefined;
  const road = remote && (await attempt(() => roadSettings(remote.baseUrl, flags, host)));
  const key = remote && (await attempt(() => findKey(remote, flags, host)));
  const found = key?.value;
  if (found) host.hide((text, isContent) => found.key.hideIn(text, isContent));
  // All tries of the question together are one check.
  const bounded = { timeoutMs: limits.timeoutMs, retryTimeoutMs: Math.min(limits.timeoutMs, limits.retryTimeoutMs) };
  const target = async (): Promise<Target | undefined> => {
    if (place.value?.kind === 'local') return localTarget(host, bounded);
    if (!remote || !found || !road?.value) return undefined;
    return { ...(await remoteTarget(remote, found, bounded, flags, host)), warnings: [] };
  };
  let asked: Promise<Reading | undefined> | undefined;
  const reading = () => {
    asked ??= target().then((to) => to && ask(to, flags, host));
    return asked;
  };
  return { host, limitMs: limits.timeoutMs, place, remote, road, key, reading };
}

async function attempt<T>(work: () => T | Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof CliError) return { error };
    throw error;
  }
}

async function ask(target: Target, flags: ServiceFlags, host: Host): Promise<Reading> {
  let answer: WireAnswer | undefined;
  let at = host.now();
  const { error } = await attempt(async () => {
    const { send } = await openTarget(target, flags, host, {
      concurrency: 1,
      onResponse: (one) => {
        answer = one;
        at = host.now();
      },
    });
    await checkReading(send);
  });
  return { error, answer, at };
}
