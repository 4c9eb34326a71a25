/** Chance that a seed decides, so that what was found once is found again. */

/** Numbers from 0 up to 1 that a seed decides. */
export function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Choices of the input number `index` under a seed; each input is decided by these two alone. */
export function choices(seed, index) {
  const random = mulberry32(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const int = (below) => Math.floor(random() * below);
  const pick = (list) => list[int(list.length)];
  const times = (most, make) => Array.from({ length: int(most + 1) }, make);
  return { int, pick, times, chance: (share) => random() < share };
}
