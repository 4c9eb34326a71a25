/** Finds a smaller input for which two versions still differ. */
import { isObject } from '../../text/json-type.ts';
import type { RunRequest } from '../validate-request.ts';

const MAX_QUESTIONS = 300;

/** Takes the first smaller input that `fits` the manifest and for which `differs`, until there is none. */
export async function shrinkInput(
  input: RunRequest,
  fits: (input: RunRequest) => boolean,
  differs: (input: RunRequest) => Promise<boolean>,
): Promise<RunRequest> {
  let smallest = input;
  let candidates = listSmaller(input);
  const asked = new Set<string>();
  while (asked.size < MAX_QUESTIONS) {
    const { value, done } = candidates.next();
    if (done) break;
    const candidate = value as RunRequest;
    const key = JSON.stringify(candidate);
    if (asked.has(key) || !fits(candidate)) continue;
    asked.add(key);
    if (!(await differs(candidate))) continue;
    smallest = candidate;
    candidates = listSmaller(candidate);
  }
  return smallest;
}

/** Smaller values of the same type, the smallest first; each is smaller than the one before, so shrinking ends. */
export function* listSmaller(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* listShorter([...value]);
  else if (typeof value === 'number') yield* listCloserToZero(value);
  else if (value === true) yield false;
  else if (isObject(value) || Array.isArray(value)) {
    const entries = Object.entries(value);
    const build = (some: typeof entries) =>
      Array.isArray(value) ? some.map(([, member]) => member) : Object.fromEntries(some);
    for (const i of entries.keys()) yield build(entries.toSpliced(i, 1));
    for (const [i, [key, member]] of entries.entries())
      for (const smaller of listSmaller(member)) yield build(entries.with(i, [key, smaller]));
  }
}

/** Without ever smaller parts, then with plain characters. */
function* listShorter(signs: readonly string[]): Generator<string> {
  for (let size = signs.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < signs.length; at += size) yield signs.toSpliced(at, size).join('');
  for (const [i, sign] of signs.entries())
    if (!/[0a]/.test(sign)) for (const plain of '0a') yield signs.with(i, plain).join('');
}

function* listCloserToZero(value: number): Generator<number> {
  if (value < 0) yield -value;
  if (!Number.isInteger(value)) yield Math.trunc(value);
  for (let step = Math.trunc(value); step !== 0; step = Math.trunc(step / 2))
    // A large number may not have closer ones.
    if (value - step !== value) yield value - step;
}
