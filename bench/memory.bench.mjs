/** Benchmark: memory of list of one page against a bare node, and of push of 10,000 folders against push of 1,000. */
import { join } from 'node:path';
import { writeFolders } from './many-folders.mjs';
import { startPlainService } from './plain-service.mjs';
import { compare, runOnce, TOOL, withFolder, world } from './processes.mjs';

const service = await startPlainService();
const remote = { FORMULARY_BASE_URL: service.url, FORMULARY_API_KEY: 'key_of_the_benchmark' };

async function pushOf(count, place) {
  const [root, home] = [join(place, `formulas-${count}`), join(place, `home-${count}`)];
  writeFolders(root, count);
  await service.empty();
  const words = [TOOL, 'formula', 'push', root, '--concurrency', '16'];
  return (await runOnce({ words, env: world(home, remote), usage: join(place, 'usage.json') })).peakMiB;
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
  const [few, many] = [await pushOf(1_000, place), await pushOf(10_000, place)];
  console.log('\nmemory of push of 10,000 folders against push of 1,000 (one run each)');
  console.log(`  ${many.toFixed(0)} MiB against ${few.toFixed(0)} MiB: ${(many / few).toFixed(2)} (target 1.5)`);
});
service.stop();
