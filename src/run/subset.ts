/** Parts of JSON values: a subset mentions some keys of an object, and every item of an array. Pure. */
import { isObject } from '../text/json-type.ts';
/** Whether a value has everything that a subset mentions. */
export function isSubset(mentioned: unknown, value: unknown): boolean {
  if (Array.isArray(mentioned))
    return (
      Array.isArray(value) &&
      mentioned.length === value.length &&
      mentioned.every((item, i) => isSubset(item, value[i]))
    );
  if (!isObject(mentioned)) return Object.is(mentioned, value);
  return (
    isObject(value) &&
    Object.keys(mentioned).every((key) => Object.hasOwn(value, key) && isSubset(mentioned[key], value[key]))
  );
}

/** The part of a value that a subset mentions: of objects the same keys, of arrays all items. */
export function sameShape(mentioned: unknown, value: unknown): unknown {
  if (Array.isArray(mentioned) && Array.isArray(value)) return value.map((item, i) => sameShape(mentioned[i], item));
  if (!isObject(mentioned) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(mentioned)
      .filter((key) => Object.hasOwn(value, key))
      .map((key) => [key, sameShape(mentioned[key], value[key])]),
  );
}
