/**
 * Benchmark: validate and push of 8,000 folders against a quarter of them, memory of a push of 5,000, and a push of ten
 * into a tenant of 8,000. Fewer: FORMULARY_BENCH_COUNT=80 node bench/growth.bench.mjs
 */
import { join } from 'node:path';
import { writeFolders } from './many-folders.mjs';
import { startPlainService } from './plain-service.mjs';
import { compare, countOf, fresh, isWanted, pushed, runOnce, short, TOOL, withFolder, world } from './processes.mjs';

const MANY = countOf(8000);
const [FEW, SOME] = [MANY / 4, (MANY * 5) / 8];
const TEN = 10;
const MIB = 1024;

const service = await startPlainService();

/** The memory that a run took, and the number of requests of each kind. */
async function measure(side, place) {
  await service.recount();
  const { peakMiB } = await runOnce({ ...side, usage: join(place, 'usage.json') });
  const { requests } = await service.ask();
  return { peakMiB, requests };
}

async function compareGrowth([verb, sideOf], [many, few]) {
  await compare({
    title: `${verb} of ${MANY} folders against ${FEW}`,
    target: 'below 4',
    ours: sideOf(many),
    base: sideOf(few),
    rounds: 3,
    figures: ['wallMs', 'cpuMs', 'peakMiB'],
  });
}

async function pushSome(place, home) {
  const title = `memory of push of ${SOME} new folders (one run)`;
  if (!isWanted(title)) return;
  const root = join(place, 'some');
  writeFolders(root, SOME);
  await fresh(root, home, service)();
  const { peakMiB } = await measure(pushed(root, home, service), place);
  console.log(`\n${title}\n  ${peakMiB.toFixed(0)} MiB (target below ${MIB})`);
}

/** From a computer that did not push the others. */
async function pushTen(place, home, many) {
  const title = `push of ${TEN} new folders into a tenant of ${MANY} formulas, against list (one run each)`;
  if (!isWanted(title)) return;
  await fresh(many, home, service)();
  await runOnce(pushed(many, home, service));
  const root = join(place, 'ten');
  writeFolders(root, TEN, MANY);
  const ten = pushed(root, join(place, 'other-home'), service);
  const list = { ...ten, words: [TOOL, 'formula', 'list'] };
  console.log(`\n${title}`);
  for (const side of [list, ten]) {
    const { peakMiB, requests } = await measure(side, place);
    console.log(`  ${short(side.words)}\n    ${peakMiB.toFixed(0)} MiB, requests ${JSON.stringify(requests)}`);
  }
  console.log(
    '  target        as many GET before the first POST, as many after the last one, and no more memory than list',
  );
}

await withFolder(async (place) => {
  const roots = [join(place, 'many'), join(place, 'few')];
  const home = join(place, 'home');
  writeFolders(roots[0], MANY);
  writeFolders(roots[1], FEW);
  await compareGrowth(
    ['validate', (root) => ({ words: [TOOL, 'formula', 'validate', root], env: world(home) })],
    roots,
  );
  const push = (root) => ({ ...pushed(root, home, service), before: fresh(root, home, service) });
  await compareGrowth(['push', push], roots);
  await pushSome(place, home);
  await pushTen(place, home, roots[0]);
});
service.stop();
