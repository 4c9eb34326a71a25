/** Reports the proxy that requests are sent through. */
import { type Check, type CheckResult, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext } from './context.ts';

export const proxy: Check = defineCheck('proxy', ({ settings }) => settings, evaluateProxy);

function evaluateProxy(settings: DoctorContext['settings']): CheckResult | undefined {
  if (!settings) return undefined;
  if (settings.error) return toFailedResult(settings.error);
  const used = settings.value.proxy;
  if (!used) return { status: 'ok', found: 'none; requests are sent directly' };
  return { status: 'ok', found: `${used.url.origin} (${used.source})${used.credentials ? ', with a user name' : ''}` };
}
