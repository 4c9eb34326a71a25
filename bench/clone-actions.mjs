// What the users of the clones do in a storm, one at a time, or two on one computer at once.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from './clone-model.mjs';
import { Clone, writeFolder } from './clones.mjs';

/** The actions of a storm with `random` choices; `doomed` is asked by the service, by key, whether a push ends at a request. */
export function createActions({ place, origin, service, model, doomed, random, folders, clones }) {
  let count = 0;
  let lastVersion = 0;
  const nextVersion = () => ++lastVersion;

  const push = async (clone, { kill, ...flags } = {}, paths = ['.']) => {
    count += 1;
    const run = model.begin(clone, `push ${count} (${clone.key})`, flags);
    const words = ['push', ...paths, ...(flags.force ? ['--force'] : [])];
    const ended = await clone.run(words, (end) => kill && doomed.set(clone.key, createDoom(kill, end)));
    // What the killed process sent is read first.
    if (kill) await setTimeout(20);
    doomed.delete(clone.key);
    model.endPush(run, ended);
    return ended;
  };
  const pull = async (clone, ids, flags = {}) => {
    const run = model.begin(clone, `pull (${clone.key})`, flags);
    model.endPull(run, await clone.run(['pull', ...ids, ...(flags.force ? ['--force'] : [])]));
  };
  const edit = (clone, most) => {
    const names = clone.names();
    for (const name of random.times(most, () => random.pick(names))) writeFolder(clone.dir, name, nextVersion());
  };
  const killing = () => ({ request: 2 + random.int(Math.ceil(folders / 4)), isDone: random.chance(0.5) });
  /** Half of the conflicts are resolved each way. */
  const resolve = async (clone, { document }) => {
    const conflicts = (document?.items ?? []).filter(({ outcome }) => outcome === 'conflict');
    const [mine, theirs] = [0, 1].map((side) => conflicts.filter((_, i) => i % 2 === side));
    const ids = theirs.map(({ id }) => id);
    if (ids.length > 0) await pull(clone, ids, { force: true });
    const paths = mine.map(({ folder }) => folder);
    if (paths.length > 0) await push(clone, { force: true }, paths);
  };
  const side = () => random.pick(['ours', 'theirs']);

  const actions = {
    edit: async (clone) => edit(clone, 20),
    push: async (clone) => resolve(clone, await push(clone)),
    kill: async (clone) => {
      edit(clone, 30);
      await push(clone, { kill: killing() });
    },
    /** What is killed, edited, and run again must end like any other push. */
    killTwice: async (clone) => {
      await actions.kill(clone);
      await actions.kill(clone);
      await actions.push(clone);
    },
    sync: async (clone) => clone.sync(side()),
    publish: async (clone) => {
      clone.sync(side());
      await actions.push(clone);
      clone.sync('ours');
    },
    pull: async (clone) => pull(clone, []),
    /** Somebody changes formulas on the service. */
    byHand: async () => {
      for (const formula of random.times(6, () => random.pick(service.formulas))) {
        formula.code = codeOf(formula.name, nextVersion());
        model.counts.byHand += 1;
      }
    },
    /** A computer without state, as in CI. */
    runner: async (clone) => {
      clone.sync('theirs');
      const home = mkdtempSync(join(place, 'runner-'));
      await push(new Clone(place, origin, home, `key_of_runner_${count}`, service.url));
    },
    /** Both clones of a computer push at once. */
    together: async ({ home }) => {
      const pair = clones.filter((one) => one.home === home);
      for (const one of pair) edit(one, 10);
      await Promise.all(pair.map((one) => push(one, { isShared: true })));
    },
    /** New folders, whose creates are killed, and which are edited before the next push. */
    add: async (clone) => {
      const names = [0, 1, 2].map((i) => `new${count}-${i}`);
      for (const name of names) writeFolder(clone.dir, name, nextVersion());
      await push(clone, { kill: { request: 2 + random.int(3), isDone: random.chance(0.7) } });
      for (const name of names) writeFolder(clone.dir, name, nextVersion());
      await push(clone);
    },
  };
  return { actions, push, resolve, nextVersion };
}

/** Called at each request of a push: ends it at one, with or without a response, and drops later ones. */
function createDoom({ request, isDone }, end) {
  let left = request;
  return () => {
    left -= 1;
    if (left > 0) return undefined;
    end();
    return isDone && left === 0 ? 'commit' : 'drop';
  };
}
