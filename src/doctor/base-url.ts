/** Checks that the settings select a service. */
import { formatBaseUrl } from '../settings/base-url.ts';
import { BASE_URL_SOURCES } from '../settings/resolve-address.ts';
import { type Check, type CheckResult, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext } from './context.ts';

export const baseUrlCheck: Check = defineCheck('base URL', ({ address }) => address, evaluateBaseUrl);

function evaluateBaseUrl({ value, error }: DoctorContext['address']): CheckResult {
  if (error) return toFailedResult(error);
  if (value.kind === 'local') return { status: 'ok', found: 'the embedded service' };
  const { baseUrl, baseUrlSource, profile } = value;
  const name = baseUrlSource === 'profile' ? `, profile "${profile?.name}"` : '';
  return { status: 'ok', found: `${formatBaseUrl(baseUrl)} (${BASE_URL_SOURCES[baseUrlSource]}${name})` };
}
