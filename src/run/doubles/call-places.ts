/** Where in the code a request was made, although it is sent later: by stacks, and by those that led to them. */
import { createHook, executionAsyncId } from 'node:async_hooks';
import { errorHere } from '../child/calls.ts';

const MAX_RESOURCES = 5_000;
const MAX_CAPTURED = 20_000;
const MAX_DEPTH = 40;
/** Characters of a report. */
const LONGEST = 60_000;

/** The stack in which asynchronous work began, and the one that began that. */
interface Origin {
  error: Error;
  earlier: Origin | undefined;
  depth: number;
}

const origins = new Map<number, Origin>();

/** Begins to remember where asynchronous work comes from. */
export function followCalls(): void {
  let captured = 0;
  const hook = createHook({
    init(id) {
      captured += 1;
      if (captured > MAX_CAPTURED) hook.disable();
      const earlier = origins.get(executionAsyncId());
      const depth = (earlier?.depth ?? 0) + 1;
      origins.set(id, { error: errorHere(), earlier: depth > MAX_DEPTH ? undefined : earlier, depth });
      if (origins.size > MAX_RESOURCES) origins.delete(origins.keys().next().value as number);
    },
  });
  hook.enable();
}

/** The stack of the caller, followed by the stacks that led to it. */
export function placeHere(): string {
  const stacks = [String(errorHere().stack ?? '')];
  for (let origin = origins.get(executionAsyncId()); origin; origin = origin.earlier)
    stacks.push(String(origin.error.stack ?? ''));
  return stacks.join('\n').slice(0, LONGEST);
}
