/** Whether the way to the service leads through a proxy. */
import { type Check, checkOf, type Finding, failedBy } from './check.ts';
import type { Subject } from './context.ts';

export const proxy: Check = checkOf('proxy', ({ road }) => road, judgeRoad);

function judgeRoad(road: Subject['road']): Finding | undefined {
  if (!road) return undefined;
  if (road.error) return failedBy(road.error);
  const used = road.value.proxy;
  if (!used) return { status: 'ok', found: 'none: requests go straight to the service' };
  return { status: 'ok', found: `${used.url.origin} (${used.source})${used.login ? ', with a user name' : ''}` };
}
