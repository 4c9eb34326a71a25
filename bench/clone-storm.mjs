// Two clones on each of two computers, and new computers, push, pull, and commit the same folders at random, while the
// service fails, pushes are killed, and somebody changes formulas by hand:
//
//   node bench/clone-storm.mjs [--folders 200] [--seeds 20] [--from 1] [--steps 12] [--share 4]
//
// Expected: nobody's change is replaced without a conflict or the mark `overwrites`, no conflict and no mark for a version
// that the clone knows, no formula twice, and at the end a push of each clone that writes nothing and exits with 0.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createActions } from './clone-actions.mjs';
import { Model, versionIn } from './clone-model.mjs';
import { Clone, createOrigin, writeFolder } from './clones.mjs';
import { choices } from './random.mjs';
import { startService } from './storm-service.mjs';

const number = (preset) => ({ type: 'string', default: String(preset) });
const { values } = parseArgs({
  options: { folders: number(200), seeds: number(20), from: number(1), steps: number(12), share: number(4) },
});
const [folders, seeds, from, steps, share] = ['folders', 'seeds', 'from', 'steps', 'share'].map((name) =>
  Number(values[name]),
);

let found = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const startedAt = Date.now();
  const { problems, counts, faults } = await storm(seed);
  const met = Object.entries({ ...counts, faults }).map(([name, count]) => `${count} ${name}`);
  console.log(`seed ${seed}: ${met.join(', ')} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
  for (const problem of problems) console.log(`WRONG seed ${seed}, ${problem}`);
  found += problems.length;
}
console.log(found === 0 ? 'no change lost, no false conflict, no false mark, no duplicate' : `${found} wrong`);
process.exitCode = found === 0 ? 0 : 1;

/** Runs one storm. */
async function storm(seed) {
  const place = mkdtempSync(join(tmpdir(), 'formulary-clone-storm-'));
  const doomed = new Map();
  const observe = { onRequest: (key) => doomed.get(key)?.(), onWrite: (write) => model.onWrite(write) };
  const service = await startService({ mode: 'mixed', seed, share, observe });
  const model = new Model(service.formulas);
  try {
    const origin = createOrigin(place);
    const world = { place, origin, service, model, doomed, random: choices(seed, 0), folders, clones: [] };
    const play = createActions(world);
    await publishFirst(world, play);
    for (let step = 1; step <= steps; step++)
      await play.actions[world.random.pick(Object.keys(play.actions))](world.random.pick(world.clones));
    service.chance.share = 0;
    await finish(world, play);
  } finally {
    service.stop();
    rmSync(place, { recursive: true, force: true });
  }
  const faults = Object.values(service.faults).reduce((sum, count) => sum + count, 0);
  return { problems: model.problems, counts: model.counts, faults };
}

/** One clone creates the folders and publishes them, with two kills; then the others are cloned. */
async function publishFirst({ place, origin, service, clones }, { actions, nextVersion }) {
  const [one, two] = ['one', 'two'].map((name) => join(place, name));
  for (const home of [one, two]) mkdirSync(home);
  const addClone = (home) => clones.push(new Clone(place, origin, home, `key_of_clone_${clones.length}`, service.url));
  addClone(one);
  const [first] = clones;
  for (let i = 0; i < folders; i++) writeFolder(first.dir, `f${i}`, nextVersion());
  first.commit('folders');
  first.git('push', '-q', 'origin', 'HEAD:main');
  for (const home of [one, two, two]) addClone(home);
  await actions.killTwice(first);
  first.sync('ours');
}

/** Without failures, all clones reach the same versions, and no push has anything to do. */
async function finish({ service, model, clones }, { push, resolve }) {
  for (const side of ['ours', 'theirs']) for (const clone of clones) clone.sync(side);
  for (const clone of clones) await resolve(clone, await push(clone));
  const [first] = clones;
  first.sync('ours');
  await push(first, { force: true });
  for (const clone of clones) clone.sync('theirs');
  for (const clone of clones) await push(clone);
  const { writes } = model.counts;
  for (const clone of clones) {
    const { code } = await push(clone);
    if (code !== 0) model.problems.push(`the last push of ${clone.key}: EXIT ${code}`);
  }
  if (model.counts.writes > writes) model.problems.push('the last pushes: WROTE what is equal');
  for (const name of first.names()) {
    const named = service.formulas.filter((formula) => formula.name === name);
    if (named.length !== 1) model.problems.push(`at the end: ${name} is there ${named.length} times`);
    else if (versionIn(named[0].code) !== first.version(name))
      model.problems.push(`at the end: ${name} is not what the folder has`);
  }
}
