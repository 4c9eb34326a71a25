/** Checks that an API key is configured and accepted for reading. Permissions to write cannot be checked without a write. */
import { KEY_SOURCES } from '../settings/key-sources.ts';
import { missingKeyError } from '../settings/resolve-address.ts';
import { type Check, type CheckResult, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext, ServiceProbe } from './context.ts';

interface KeyFacts {
  /** Suffix and source of the key; undefined without a key. */
  description: string | undefined;
  /** Why no key was found. */
  error: ServiceProbe['error'];
  probe: ServiceProbe | undefined;
}

export const key: Check = defineCheck('key', gatherKey, evaluateKey);

async function gatherKey({ host, remote, key: keyResult, probeService }: DoctorContext): Promise<KeyFacts | undefined> {
  if (!remote || !keyResult) return undefined;
  const { value: found, error } = keyResult;
  if (!found) return { description: undefined, error: error ?? missingKeyError(remote, host), probe: undefined };
  return {
    description: `${found.key.formatSuffix()} (${KEY_SOURCES[found.keySource]})`,
    error: undefined,
    probe: await probeService(),
  };
}

/** Pure. */
function evaluateKey(facts: KeyFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { description, error, probe } = facts;
  if (error) return toFailedResult(error);
  if (probe && !probe.error) return { status: 'ok', found: `${description}, accepted for reading` };
  if (probe?.error?.outcome === 'denied') return toFailedResult(probe.error);
  return { status: 'unknown', found: `${description}; could not check whether it is accepted` };
}
