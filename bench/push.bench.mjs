/** Benchmark: push of 1,000 folders: at once, with latency, against a rate limit, and again with nothing changed. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFolders } from './many-folders.mjs';
import { startPlainService } from './plain-service.mjs';
import { bare, compare, runOnce, TOOL, withFolder, world } from './processes.mjs';

const COUNT = 1000;
const CONCURRENCY = 16;

const pushed = (root, home, service) => ({
  words: [TOOL, 'formula', 'push', root, '--concurrency', String(CONCURRENCY)],
  env: world(home, { FORMULARY_BASE_URL: service.url, FORMULARY_API_KEY: 'key_of_the_benchmark' }),
});

/** As on the first day: nothing on the service, no lock, nothing remembered. */
const fresh = (root, home, service) => async () => {
  await service.empty();
  rmSync(join(root, 'formulas.lock.json'), { force: true });
  rmSync(home, { recursive: true, force: true });
};

async function againstBare(root, home, title, target, options) {
  const service = await startPlainService(options);
  const before = fresh(root, home, service);
  const base = { words: [bare('push'), root, service.url], env: world(home), before };
  const ours = { ...pushed(root, home, service), before };
  await compare({ title, target, ours, base, rounds: 5, figures: ['wallMs', 'cpuMs', 'peakMiB'] });
  service.stop();
}

async function again(root, home) {
  const service = await startPlainService();
  await fresh(root, home, service)();
  const ours = pushed(root, home, service);
  await runOnce(ours);
  const base = { words: [bare('push-again'), root, service.url], env: world(home) };
  const figures = ['wallMs', 'cpuMs', 'peakMiB'];
  await compare({ title: 'push again, nothing changed', target: 1.3, ours, base, rounds: 5, figures });
  service.stop();
}

async function limited(root, home) {
  const rate = 50;
  const service = await startPlainService({ rate });
  await fresh(root, home, service)();
  const side = pushed(root, home, service);
  await runOnce(side);
  const { passed, refused, firstAt, lastAt } = await service.ask();
  // The bucket is full at first, and holds one second's worth.
  const share = (passed - rate) / ((lastAt - firstAt) / 1000) / rate;
  console.log(`\npush of ${COUNT} folders against ${rate} requests a second, Retry-After 1 (one run)`);
  console.log(`  ${passed} passed, ${refused} refused in ${((lastAt - firstAt) / 1000).toFixed(1)} s`);
  console.log(
    `  share of the limit ${share.toFixed(3)} (target 0.95), waste ${((100 * refused) / passed).toFixed(1)} % (target under 3 %)`,
  );
  service.stop();
}

await withFolder(async (place) => {
  const [root, home] = [join(place, 'formulas'), join(place, 'home')];
  writeFolders(root, COUNT);
  await againstBare(root, home, `push of ${COUNT} new folders, ${CONCURRENCY} at once`, 1.3, {});
  await againstBare(root, home, 'the same with 50 ms of latency', 1.1, { latency: 50 });
  await again(root, home);
  await limited(root, home);
});
