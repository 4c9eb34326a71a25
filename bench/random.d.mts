/** The types of random.mjs, for the tests that use it. */
export interface Choices {
  int(below: number): number;
  pick<T>(list: readonly T[]): T;
  times<T>(most: number, make: () => T): T[];
  chance(share: number): boolean;
}

export function mulberry32(seed: number): () => number;
export function choices(seed: number, index: number): Choices;
