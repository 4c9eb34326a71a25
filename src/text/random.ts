/** Random numbers that depend on a seed. Pure. */

/** Integers of 32 bits, by the generator mulberry32. */
export function createGenerator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

export interface Random {
  /** From 0 to below the limit. */
  integer(limit: number): number;
  /** Undefined if there is nothing to pick. */
  pick<T>(values: readonly T[]): T | undefined;
}

export function createRandom(seed: number): Random {
  const next = createGenerator(seed);
  // The first numbers of close seeds are alike.
  next();
  const integer = (limit: number) => Math.floor((next() / 2 ** 32) * limit);
  return { integer, pick: (values) => values[integer(values.length)] };
}
