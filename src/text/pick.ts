/** Picks members of objects. Pure. */

/** The members with these keys, without those that are undefined. */
export function pick<T extends object, K extends keyof T & string>(from: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (Object.hasOwn(from, key) && from[key] !== undefined) picked[key] = from[key];
  return picked as Pick<T, K>;
}
