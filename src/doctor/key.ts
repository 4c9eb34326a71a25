/** Whether there is a key, whether the service takes it for reading, and what cannot be known of it. */
import { noKey } from '../settings/resolve-address.ts';
import { type Check, checkOf, type Finding, failedBy } from './check.ts';
import type { Reading, Subject } from './context.ts';

export interface KeyFacts {
  /** The key in words; undefined where there is none. */
  key: string | undefined;
  /** Why there is none. */
  error: Reading['error'];
  reading: Reading | undefined;
}

export const key: Check = checkOf('key', facts, judgeKey);

const SOURCES = {
  flag: '--api-key-file',
  stdin: 'standard input',
  environment: 'FORMULARY_API_KEY',
  profile: 'kept by auth login',
};

async function facts({ host, remote, key: attempt, reading }: Subject): Promise<KeyFacts | undefined> {
  if (!remote || !attempt) return undefined;
  const { value: found, error } = attempt;
  if (!found) return { key: undefined, error: error ?? noKey(remote, host), reading: undefined };
  return { key: `${found.key.ending()} (${SOURCES[found.keySource]})`, error: undefined, reading: await reading() };
}

/** Pure. */
export function judgeKey(known: KeyFacts | undefined): Finding | undefined {
  if (!known) return undefined;
  const { key: words, error, reading } = known;
  if (error) return failedBy(error);
  if (reading && !reading.error) return { status: 'ok', found: `${words}, accepted for reading` };
  if (reading?.error?.outcome === 'denied') return failedBy(reading.error);
  return { status: 'unknown', found: `${words}; whether it is accepted for reading is not known` };
}

export const writing: Check = checkOf('writing', ({ place, key: attempt }) => kindOf(place, attempt), judgeWriting);

const kindOf = ({ value }: Subject['place'], attempt: Subject['key']) =>
  value?.kind === 'local' ? 'local' : attempt?.value ? 'remote' : undefined;

/** Pure. */
export function judgeWriting(kind: 'local' | 'remote' | undefined): Finding | undefined {
  if (kind === undefined) return undefined;
  if (kind === 'local') return { status: 'ok', found: 'the embedded service allows all that a reactor may' };
  return {
    status: 'unknown',
    found: 'whether the key may create, update and delete cannot be known without a write',
    advice: 'it needs the permissions reactor:create, reactor:update and reactor:delete of a management application',
  };
}
