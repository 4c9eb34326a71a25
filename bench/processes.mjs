/** Measures two processes in turn, so that other load affects both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TOOL = join(import.meta.dirname, '../bin/formulary.js');
export const bare = (name) => join(import.meta.dirname, 'bare', `${name}.cjs`);

/** A folder that is gone when the work is done. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'formulary-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A world without settings, proxies or a certificate store: `home` keeps what the tool notes. */
export const world = (home, more = {}) => ({ PATH: process.env.PATH, HOME: home, ...more });

/** A push of the folders below `root` to a plain service, 16 at once. */
export const pushed = (root, home, service) => ({
  words: [TOOL, 'formula', 'push', root, '--concurrency', '16'],
  env: world(home, { FORMULARY_BASE_URL: service.url, FORMULARY_API_KEY: 'key_of_the_benchmark' }),
});

/** As on the first day: nothing on the service, no lock, nothing remembered. */
export const fresh = (root, home, service) => async () => {
  await service.empty();
  rmSync(join(root, 'formulas.lock.json'), { force: true });
  rmSync(home, { recursive: true, force: true });
};

/** Runs node (or another `program`) with these words to its end; wall-clock, and with `usage` processor time and memory. Fails unless it ends with 0. */
export async function runOnce({ program = process.execPath, words, env, usage }) {
  const before = usage ? ['--require', join(import.meta.dirname, 'usage.cjs')] : [];
  const start = performance.now();
  const child = spawn(program, [...before, ...words], {
    env: { ...env, ...(usage && { FORMULARY_BENCH_USAGE: usage }) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  const wallMs = performance.now() - start;
  if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}: ${said.slice(-500)}`);
  return { wallMs, ...(usage && JSON.parse(readFileSync(usage, 'utf8'))) };
}

const sorted = (values) => [...values].sort((a, b) => a - b);
export const median = (values) => sorted(values)[values.length >> 1];
const spread = (values) => {
  const all = sorted(values);
  return [all[0], median(all), all.at(-1)].map((value) => value.toFixed(value < 100 ? 1 : 0)).join(' / ');
};

/** How often a row is measured; fewer make a quick look. */
export const roundsOf = (wanted) => Number(process.env.FORMULARY_BENCH_ROUNDS ?? wanted);

/** How many things a row is about; fewer make a quick look: FORMULARY_BENCH_COUNT=100 node bench/push.bench.mjs */
export const countOf = (wanted) => Number(process.env.FORMULARY_BENCH_COUNT ?? wanted);

/** Whether a row is to be measured: all are, or those that have FORMULARY_BENCH_ONLY in their title. */
export const isWanted = (title) => title.includes(process.env.FORMULARY_BENCH_ONLY ?? '');

const NAMES = { wallMs: 'wall ms', cpuMs: 'processor ms', peakMiB: 'memory MiB' };
export const short = (words, program = 'node') =>
  `${program} ${words.join(' ')}`.replaceAll(join(import.meta.dirname, '..'), '.');

/**
 * Runs `ours` and `base` ({words, env, before}) `rounds` times in turn after a warm-up round, and prints
 * for each figure the minimum, median, and maximum of both, and the median of the paired ratios. `addition` ({ms, words}) is
 * time that is added to `base`, for work that it does not do.
 */
export async function compare({ title, target, ours, base, rounds: wanted = 20, figures = ['wallMs'], addition }) {
  if (!isWanted(title)) return;
  const rounds = roundsOf(wanted);
  const runs = (await pairsOf(ours, base, { rounds, withUsage: figures.some((figure) => figure !== 'wallMs') })).map(
    ([a, b]) => [a, { ...b, wallMs: b.wallMs + (addition?.ms ?? 0) }],
  );
  console.log(`\n${title} (${rounds} pairs; minimum / median / maximum)`);
  console.log(
    `  A  ${short(ours.words, ours.program)}\n  B  ${short(base.words)}${addition ? ` + ${addition.words}` : ''}`,
  );
  for (const figure of figures) {
    const [a, b] = [0, 1].map((i) => runs.map((pair) => pair[i][figure]));
    const ratio = median(runs.map(([one, other]) => one[figure] / other[figure]));
    console.log(`  ${NAMES[figure].padEnd(13)} A ${spread(a)}   B ${spread(b)}   A/B ${ratio.toFixed(2)}`);
  }
  console.log(`  target        ${target}`);
}

/** What both used, in each round but the first. */
async function pairsOf(ours, base, { rounds, withUsage }) {
  return withFolder(async (folder) => {
    const usage = withUsage ? join(folder, 'usage.json') : undefined;
    const runs = [];
    for (let round = -1; round < rounds; round++) {
      const pair = [];
      for (const side of [ours, base]) {
        await side.before?.();
        pair.push(await runOnce({ ...side, usage }));
      }
      if (round >= 0) runs.push(pair);
    }
    return runs;
  });
}
