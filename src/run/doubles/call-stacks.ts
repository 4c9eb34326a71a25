/** Stacks across asynchronous calls, because clients send a request later than the code makes it. */
import { createHook, executionAsyncId } from 'node:async_hooks';
import { captureError } from '../child/channel.ts';

const MAX_RESOURCES = 5_000;
const MAX_CAPTURED = 20_000;
const MAX_DEPTH = 40;
const MAX_STACK_CHARACTERS = 60_000;

/** The stack in which an asynchronous resource was created, and the origin of that code. */
interface Origin {
  error: Error;
  earlier: Origin | undefined;
  depth: number;
}

const origins = new Map<number, Origin>();

/** Starts to record the stacks of asynchronous resources. */
export function trackAsyncStacks(): void {
  let captured = 0;
  const hook = createHook({
    init(id) {
      captured += 1;
      if (captured > MAX_CAPTURED) hook.disable();
      const earlier = origins.get(executionAsyncId());
      const depth = (earlier?.depth ?? 0) + 1;
      origins.set(id, { error: captureError(), earlier: depth > MAX_DEPTH ? undefined : earlier, depth });
      if (origins.size > MAX_RESOURCES) origins.delete(origins.keys().next().value as number);
    },
  });
  hook.enable();
}

/** The stack of the caller, followed by the stacks that scheduled it. */
export function captureCallStack(): string {
  const stacks = [String(captureError().stack ?? '')];
  for (let origin = origins.get(executionAsyncId()); origin; origin = origin.earlier)
    stacks.push(String(origin.error.stack ?? ''));
  return stacks.join('\n').slice(0, MAX_STACK_CHARACTERS);
}
