/** Finds a smaller input for which two versions still differ. Pure, but for the question whether they do. */
import { isObject } from '../../text/json-type.ts';
import type { CallInput } from './generate-input.ts';

const MAX_QUESTIONS = 300;

/**
 * Takes the first smaller input for which `differs`, until there is none. `fits` tells whether an input fits the manifest.
 */
export async function shrinkInput(
  input: CallInput,
  fits: (input: CallInput) => boolean,
  differs: (input: CallInput) => Promise<boolean>,
): Promise<CallInput> {
  let smallest = input;
  let questions = 0;
  const asked = new Set<string>();
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of listSmaller(smallest)) {
      const key = JSON.stringify(candidate);
      if (asked.has(key) || !fits(candidate as CallInput)) continue;
      asked.add(key);
      questions += 1;
      if (questions > MAX_QUESTIONS) return smallest;
      if (!(await differs(candidate as CallInput))) continue;
      smallest = candidate as CallInput;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Smaller values of the same type, the smallest first; each is smaller than the one before, so shrinking ends. */
export function* listSmaller(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* listShorter(value);
  else if (typeof value === 'number') yield* listCloserToZero(value);
  else if (value === true) yield false;
  else if (Array.isArray(value)) yield* listSmallerLists(value, listSmaller);
  else if (isObject(value)) {
    const shrinkMember = function* ([key, member]: [string, unknown]): Generator<[string, unknown]> {
      for (const smaller of listSmaller(member)) yield [key, smaller];
    };
    for (const entries of listSmallerLists(Object.entries(value), shrinkMember)) yield Object.fromEntries(entries);
  }
}

/** Without an item, then with a smaller one. */
function* listSmallerLists<Item>(items: readonly Item[], shrink: (item: Item) => Iterable<Item>): Generator<Item[]> {
  for (let i = 0; i < items.length; i += 1) yield items.toSpliced(i, 1);
  for (const [i, item] of items.entries()) for (const smaller of shrink(item)) yield items.with(i, smaller);
}

/** Without ever smaller parts, then with plain characters. */
function* listShorter(text: string): Generator<string> {
  const characters = [...text];
  for (let size = characters.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < characters.length; at += size) yield characters.toSpliced(at, size).join('');
  for (const [i, sign] of characters.entries())
    for (const plain of '0a') if (!/[0a]/.test(sign)) yield characters.with(i, plain).join('');
}

function* listCloserToZero(value: number): Generator<number> {
  if (value < 0) yield -value;
  const whole = Math.trunc(value);
  if (whole !== value && Number.isFinite(value)) yield whole;
  for (let step = Math.abs(whole); step >= 1; step = Math.floor(step / 2)) {
    const smaller = value - Math.sign(value) * step;
    // A large number may not have closer ones.
    if (smaller !== value) yield smaller;
  }
}
