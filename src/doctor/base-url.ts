/** Which service the settings lead to. */
import { addressOf } from '../settings/base-url.ts';
import { type Check, checkOf, type Finding, failedBy } from './check.ts';
import type { Subject } from './context.ts';

export const baseAddress: Check = checkOf('base address', ({ place }) => place, judgeAddress);

const SOURCES = { flag: '--base-url', environment: 'FORMULARY_BASE_URL', profile: 'kept by auth login' };

function judgeAddress({ value, error }: Subject['place']): Finding {
  if (error) return failedBy(error);
  if (value.kind === 'local') return { status: 'ok', found: 'the embedded service, in this process' };
  const { baseUrl, addressSource, profile } = value;
  const name = addressSource === 'profile' ? `, profile "${profile?.name}"` : '';
  return { status: 'ok', found: `${addressOf(baseUrl)} (${SOURCES[addressSource]}${name})` };
}
