/** Whether there is a key, whether the service takes it for reading, and what cannot be known of it. */
import { missingKeyError } from '../settings/resolve-address.ts';
import { type Check, type CheckResult, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext, ServiceProbe } from './context.ts';

export interface KeyFacts {
  /** The key in words; undefined where there is none. */
  description: string | undefined;
  /** Why there is none. */
  error: ServiceProbe['error'];
  probe: ServiceProbe | undefined;
}

export const key: Check = defineCheck('key', gatherKey, evaluateKey);

const SOURCES = {
  flag: '--api-key-file',
  stdin: 'standard input',
  environment: 'FORMULARY_API_KEY',
  profile: 'kept by auth login',
};

async function gatherKey({ host, remote, key: attempt, probeService }: DoctorContext): Promise<KeyFacts | undefined> {
  if (!remote || !attempt) return undefined;
  const { value: found, error } = attempt;
  if (!found) return { description: undefined, error: error ?? missingKeyError(remote, host), probe: undefined };
  return {
    description: `${found.key.formatSuffix()} (${SOURCES[found.keySource]})`,
    error: undefined,
    probe: await probeService(),
  };
}

/** Pure. */
export function evaluateKey(facts: KeyFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { description, error, probe } = facts;
  if (error) return toFailedResult(error);
  if (probe && !probe.error) return { status: 'ok', found: `${description}, accepted for reading` };
  if (probe?.error?.outcome === 'denied') return toFailedResult(probe.error);
  return { status: 'unknown', found: `${description}; whether it is accepted for reading is not known` };
}

export const writeAccess: Check = defineCheck(
  'writing',
  ({ address, key: attempt }) => getServiceKind(address, attempt),
  evaluateWriteAccess,
);

const getServiceKind = ({ value }: DoctorContext['address'], attempt: DoctorContext['key']) =>
  value?.kind === 'local' ? 'local' : attempt?.value ? 'remote' : undefined;

/** Pure. */
export function evaluateWriteAccess(kind: 'local' | 'remote' | undefined): CheckResult | undefined {
  if (kind === undefined) return undefined;
  if (kind === 'local') return { status: 'ok', found: 'the embedded service allows all that a reactor may' };
  return {
    status: 'unknown',
    found: 'whether the key may create, update and delete cannot be known without a write',
    advice: 'it needs the permissions reactor:create, reactor:update and reactor:delete of a management application',
  };
}
