/** The thread in which bench/fuzz.mjs tries inputs: reports failures, or that the time is over. */
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { choices } from '../random.mjs';

const { name, seed, from, until, folder, file, progress } = workerData;
const tool = createRequire(import.meta.url)(file);
const { make, start } = await import(`./${name}.mjs`);
const { check, end } = await start({ tool, folder });

/** A target that checks many inputs at once reports which one failed. */
const faultOf = (error) => ({ fault: error?.stack ?? String(error), input: error?.input });

let result = {};
for (let index = from; ; index++) {
  progress[0] = index;
  try {
    await check(make(choices(seed, index)));
    if (Date.now() >= until) break;
  } catch (error) {
    result = faultOf(error);
    break;
  }
}
try {
  await end?.();
} catch (error) {
  result = faultOf(error);
}
parentPort.postMessage(result);
