/**
 * Benchmark: memory of list of one page against a bare node, and of push of 10,000 folders against push of a tenth of
 * them. Fewer folders: FORMULARY_BENCH_COUNT=1000 node bench/memory.bench.mjs
 */
import { join } from 'node:path';
import { writeFolders } from './many-folders.mjs';
import { startPlainService } from './plain-service.mjs';
import { compare, countOf, isWanted, runOnce, short, TOOL, withFolder, world } from './processes.mjs';

const service = await startPlainService();
const remote = { FORMULARY_BASE_URL: service.url, FORMULARY_API_KEY: 'key_of_the_benchmark' };

const wordsOf = (root) => [TOOL, 'formula', 'push', root, '--concurrency', '16'];

async function pushOf(count, place) {
  const [root, home] = [join(place, `formulas-${count}`), join(place, `home-${count}`)];
  writeFolders(root, count);
  await service.empty();
  return (await runOnce({ words: wordsOf(root), env: world(home, remote), usage: join(place, 'usage.json') })).peakMiB;
}

await withFolder(async (place) => {
  await compare({
    title: 'memory of list of one page',
    target: 1.5,
    ours: { words: [TOOL, 'formula', 'list'], env: world(place, remote) },
    base: { words: ['-e', '0'], env: world(place) },
    rounds: 5,
    figures: ['peakMiB'],
  });
  const count = countOf(10_000);
  const title = `memory of push of ${count} folders against push of ${count / 10} (one run each)`;
  if (!isWanted(title)) return;
  const [few, many] = [await pushOf(count / 10, place), await pushOf(count, place)];
  console.log(`\n${title}\n  ${short(wordsOf('FOLDERS'))}`);
  console.log(`  ${many.toFixed(0)} MiB against ${few.toFixed(0)} MiB: ${(many / few).toFixed(2)} (target 1.5)`);
});
service.stop();
