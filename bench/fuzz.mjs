// Runs the tool on random input from a seed, and checks the results:
//
//   npm run bench:fuzz -- [--minutes 10] [--seed S] [--only TARGET] [--at N]
//
// Minutes are for each target. An input that causes a failure is written to a file; its number and the seed reproduce it
// (--only TARGET --seed S --at N). Each target runs in a thread: an input that takes too long is a failure too.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { TARGETS } from './fuzz/targets.mjs';
import { choices } from './random.mjs';
import { withSource } from './source.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    at: { type: 'string' },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const names = values.only === undefined ? Object.keys(TARGETS) : values.only.split(',');
const strange = names.find((name) => !TARGETS[name]);
if (strange !== undefined || !(minutes > 0) || !Number.isInteger(seed)) {
  console.error(`--only knows ${Object.keys(TARGETS).join(', ')}; --minutes and --seed are numbers`);
  process.exit(2);
}

const MOST_FOUND = 20;
let broken = 0;
await withSource(async ({ folder, file }) => {
  for (const name of names) broken += await fuzz(name, { folder, file });
});
process.exitCode = broken === 0 ? 0 : 1;

/** Tries inputs on one target until its time is over; gives how many broke something. */
async function fuzz(name, place) {
  const found = new Map();
  const only = values.at === undefined ? undefined : Number(values.at);
  const end = Date.now() + minutes * 60_000;
  let next = only ?? 0;
  let tried = 0;
  while (only === undefined ? Date.now() < end && found.size < MOST_FOUND : tried === 0) {
    const stretch = await runThread({ name, seed, from: next, until: only === undefined ? end : 0, ...place });
    tried += stretch.at - next + 1;
    next = stretch.at + 1;
    if (stretch.fault !== undefined) await note(name, found, stretch);
  }
  console.log(`${name}: ${tried} inputs of seed ${seed}, ${found.size} broke something`);
  return found.size;
}

/** Failures of one kind are reported once. */
async function note(name, found, { at, fault, input }) {
  const kind = fault.split('\n')[0].replace(/\d+/g, 'N').slice(0, 100);
  if (found.has(kind)) return;
  const file = join(tmpdir(), `formulary-fuzz-${name}-${seed}-${at}`);
  const { make } = await import(`./fuzz/${name}.mjs`);
  writeFileSync(file, bytesOf(input ?? make(choices(seed, at))));
  found.set(kind, file);
  console.log(`${name}: BROKEN by input ${at} of seed ${seed} (${file}): ${fault}`);
}

/** As bytes, so that it can be tried by hand. */
function bytesOf(input) {
  if (Buffer.isBuffer(input)) return input;
  const isText = typeof input === 'string' && input.isWellFormed();
  return isText ? input : JSON.stringify(input, null, 1);
}

/** One thread from an input on, until a failure, the end of the time, or an input that takes too long. */
function runThread(workerData) {
  const progress = new Int32Array(new SharedArrayBuffer(8));
  // What it takes to start the thread does not count.
  progress[0] = workerData.from - 1;
  const script = join(import.meta.dirname, 'fuzz/thread.mjs');
  const worker = new Worker(script, {
    workerData: { ...workerData, progress },
    resourceLimits: { maxOldGenerationSizeMb: 1500 },
  });
  const limit = TARGETS[workerData.name].seconds * 1000;
  return new Promise((done) => {
    let [seen, since] = [-1, Date.now()];
    const watch = setInterval(() => {
      if (progress[0] !== seen || progress[0] < workerData.from) [seen, since] = [progress[0], Date.now()];
      else if (Date.now() - since > limit) finish({ fault: `took more than ${limit / 1000} s` });
    }, 200);
    const finish = async (how) => {
      clearInterval(watch);
      const at = Math.max(progress[0], workerData.from);
      await worker.terminate();
      done({ at, ...how });
    };
    worker.once('message', finish);
    worker.once('error', (error) => finish({ fault: error.stack ?? String(error) }));
  });
}
