/** Picks members of objects. Pure. */

/** The members with these keys, without those that are undefined. */
export const pick = <T extends object, K extends keyof T & string>(from: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(
    keys.filter((key) => Object.hasOwn(from, key) && from[key] !== undefined).map((key) => [key, from[key]]),
  ) as Pick<T, K>;
