/** Measures two pieces of work in turn, so that other load affects both. */

/**
 * Prints the median of each in milliseconds, and how many times the second the first takes.
 * `work` and `base` are `[title, function]`; a function may be asynchronous.
 */
export async function sideBySide(work, base, rounds = 15) {
  const times = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const [i, [, run]] of [work, base].entries()) {
      const start = performance.now();
      await run();
      // The first round warms the caches of the disk.
      if (round >= 0) times[i].push(performance.now() - start);
    }
  }
  const [first, second] = times.map(median);
  console.log(`  ${work[0].padEnd(44)} ${first.toFixed(0).padStart(7)} ms`);
  console.log(`  ${base[0].padEnd(44)} ${second.toFixed(0).padStart(7)} ms`);
  console.log(`  ${'ratio'.padEnd(44)} ${(first / second).toFixed(2).padStart(7)}`);
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
