/**
 * Benchmark: push of 1,000 folders: at once, with latency, again with nothing changed, and against a rate limit.
 * One row, and fewer folders: FORMULARY_BENCH_ONLY=latency FORMULARY_BENCH_COUNT=100 node bench/push.bench.mjs
 */
import { join } from 'node:path';
import { writeFolders } from './many-folders.mjs';
import { startPlainService } from './plain-service.mjs';
import { bare, compare, countOf, fresh, isWanted, pushed, runOnce, short, withFolder, world } from './processes.mjs';

const COUNT = countOf(1000);
const CONCURRENCY = 16;
const LATENCY = 50;
const FIGURES = ['wallMs', 'cpuMs', 'peakMiB'];

async function first(root, home) {
  const title = `push of ${COUNT} new folders, ${CONCURRENCY} at once`;
  if (!isWanted(title)) return;
  const service = await startPlainService();
  const before = fresh(root, home, service);
  const base = { words: [bare('push'), root, service.url], env: world(home), before };
  await compare({
    title,
    target: 1.3,
    ours: { ...pushed(root, home, service), before },
    base,
    rounds: 5,
    figures: FIGURES,
  });
  service.stop();
}

/** Against the time to read and parse, and that of the requests if nothing but the latency took any. */
async function late(root, home) {
  const title = `push of ${COUNT} new folders with ${LATENCY} ms of latency`;
  if (!isWanted(title)) return;
  const service = await startPlainService({ latency: LATENCY });
  const before = fresh(root, home, service);
  // A create for each, and the list before.
  const ms = (LATENCY * (COUNT + 1)) / CONCURRENCY;
  const addition = { ms, words: `${COUNT + 1} requests × ${LATENCY} ms / ${CONCURRENCY}` };
  const base = { words: [bare('validate'), root], env: world(home) };
  await compare({ title, target: 1.1, ours: { ...pushed(root, home, service), before }, base, rounds: 5, addition });
  service.stop();
}

async function again(root, home) {
  const title = `push of ${COUNT} folders again, nothing changed`;
  if (!isWanted(title)) return;
  const service = await startPlainService();
  await fresh(root, home, service)();
  const ours = pushed(root, home, service);
  await runOnce(ours);
  const base = { words: [bare('push-again'), root, service.url], env: world(home) };
  await compare({ title, target: 1.3, ours, base, rounds: 5, figures: FIGURES });
  service.stop();
}

async function limited(root, home) {
  const rate = 50;
  const title = `push of ${COUNT} folders against ${rate} requests a second, Retry-After 1 (one run)`;
  if (!isWanted(title)) return;
  const service = await startPlainService({ rate });
  await fresh(root, home, service)();
  const side = pushed(root, home, service);
  await runOnce(side);
  const { passed, refused, firstAt, lastAt } = await service.ask();
  // The bucket is full at first, and holds one second's worth.
  const share = (passed - rate) / ((lastAt - firstAt) / 1000) / rate;
  console.log(`\n${title}\n  ${short(side.words)}`);
  console.log(`  ${passed} passed, ${refused} refused in ${((lastAt - firstAt) / 1000).toFixed(1)} s`);
  console.log(
    `  share of the limit ${share.toFixed(3)} (target 0.95), waste ${((100 * refused) / passed).toFixed(1)} % (target under 3 %)`,
  );
  service.stop();
}

await withFolder(async (place) => {
  const [root, home] = [join(place, 'formulas'), join(place, 'home')];
  writeFolders(root, COUNT);
  await first(root, home);
  await late(root, home);
  await again(root, home);
  await limited(root, home);
});
