/** Subsets of JSON values: some keys of an object, all items of an array. Pure. */
import { isObject } from '../text/json-type.ts';

/** Whether a value contains a subset. */
export function isSubset(subset: unknown, value: unknown): boolean {
  if (Array.isArray(subset))
    return (
      Array.isArray(value) && subset.length === value.length && subset.every((item, i) => isSubset(item, value[i]))
    );
  if (!isObject(subset)) return Object.is(subset, value);
  return (
    isObject(value) &&
    Object.keys(subset).every((key) => Object.hasOwn(value, key) && isSubset(subset[key], value[key]))
  );
}

/** The part of a value that has the keys of a subset. */
export function pickSubset(subset: unknown, value: unknown): unknown {
  if (Array.isArray(subset) && Array.isArray(value)) return value.map((item, i) => pickSubset(subset[i], item));
  if (!isObject(subset) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(subset)
      .filter((key) => Object.hasOwn(value, key))
      .map((key) => [key, pickSubset(subset[key], value[key])]),
  );
}
