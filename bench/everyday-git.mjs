// Four clones on two computers, worktrees, shallow clones, and CI runners push after everyday git (moves, swaps, copies,
// removals, reverts, merges, rebases, sparse checkouts), while somebody changes formulas on the service by hand:
//
//   node bench/everyday-git.mjs [--seconds 600] [--seed 1] [--steps 40]
//
// Expected: no id gets another lineage, nothing is deleted that has a folder, no change by hand, rollbacks included, is
// replaced without a conflict or a mark, and each printed command works. Prints which conflicts were false.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agesOf, codeOf, EverydayClone, versionIn } from './everyday-clone.mjs';
import { choices } from './random.mjs';
import { startService } from './storm-service.mjs';

const option = (preset) => ({ type: 'string', default: preset });
const { values } = parseArgs({ options: { seconds: option('600'), seed: option('1'), steps: option('40') } });
const counts = {};
const count = (name) => {
  counts[name] = (counts[name] ?? 0) + 1;
};
const endsAt = Date.now() + Number(values.seconds) * 1000;
let wrong = 0;

/** A repository and a service. `hands` has the formulas that were changed by hand, and the clones that saw it. */
async function createWorld(number) {
  const place = mkdtempSync(join(tmpdir(), 'formulary-everyday-'));
  const world = { place, number, random: choices(number, 0), hands: new Map(), saved: new Map(), last: 0 };
  const fail = (text) => {
    wrong += 1;
    console.log(`WRONG seed ${number}, ${world.run?.label}: ${text}`);
  };
  const onWrite = ({ method, before, after }) => {
    const { clone, label, writes } = world.run;
    writes.push({ method, before, after });
    if (method === 'PUT' && before.description !== after.description && !label.includes('--force'))
      fail(`${before.id} was ${before.description}, is ${after.description}`);
    if (method === 'DELETE' && clone.lineages().includes(before.description))
      fail(`deleted ${before.description}, which has a folder`);
  };
  const service = await startService({ mode: 'mixed', seed: number, share: 0, observe: { onWrite } });
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(place, 'origin')]);
  const close = () => {
    service.stop();
    rmSync(place, { recursive: true, force: true });
  };
  return Object.assign(world, { fail, close, url: service.url, formulas: service.formulas, next: () => ++world.last });
}

async function run(world, clone, words) {
  world.run = { clone, label: words.join(' '), writes: [] };
  count('commands');
  const ended = await clone.run(words, world.url);
  if ([1, 70].includes(ended.code)) world.fail(`EXIT ${ended.code}: ${ended.err.slice(0, 500)}`);
  const { writes } = world.run;
  return { ...ended, writes };
}

const sees = ({ hands }, clone, id) => hands.get(id)?.add(clone.dir);

/** Judges what a push did, and resolves its conflicts by the truth, with the commands that it printed. */
async function push(world, clone, words = [], isAgain = false) {
  const { code, items, err, writes } = await run(world, clone, [
    'push',
    ...(words[0]?.startsWith('f/') ? [] : ['f']),
    ...words,
  ]);
  count(`push exits ${code}`);
  for (const { method, before, after } of writes) {
    count(method);
    if (method === 'PUT') judgeReplaced(world, clone, { before, after, items, err, words });
    world.hands.delete(before?.id);
  }
  for (const { id, outcome, folder } of items)
    if (['created', 'updated', 'unchanged'].includes(outcome)) {
      sees(world, clone, id);
      clone.known.set(`${folder} ${id}`, clone.ages(folder));
    }
  const conflicts = items.filter(({ outcome }) => outcome === 'conflict');
  for (const item of conflicts) await resolve(world, clone, item, words);
  if (code === 3) {
    count(`invalid: ${anonymize(/error.*/.exec(err.replaceAll('\\n', '\n'))?.[0] ?? err)}`);
    clone.git('reset', '-q', '--hard', 'origin/main');
    clone.git('clean', '-qfd');
  }
  const rest = words.filter((word) => word !== '--prune' && word !== '--yes');
  if (conflicts.length > 0 && !isAgain) await push(world, clone, rest, true);
}

const anonymize = (text) => text.replace(/"[^"]*"|\b(f|tree)\/[^\s,;]*|\/[^\s,;]+|[0-9a-f-]{36}/g, '_');

/** Without a baseline, an earlier version is replaced as a plain update; with --since, a version since REF. */
function judgeReplaced({ hands, fail }, clone, { before, after, items, err, words }) {
  const { folder, overwrites } = items.find(({ id }) => id === before.id) ?? {};
  const isSeen = hands.get(before.id)?.has(clone.dir) ?? true;
  if (isSeen || overwrites || words.includes('--force') || /replaces|overwrite/.test(err)) return;
  const hasBaseline = clone.known.has(`${folder} ${before.id}`) && !words.includes('--since');
  if (!hasBaseline && clone.hasInHistory(before)) return count('earlier versions replaced without a baseline');
  fail(`lost v${versionIn(before.code)} by hand of ${before.description} (${folder}): now v${versionIn(after.code)}`);
}

async function resolve(world, clone, { id, folder, error: { message = '', hint = '' } = {} }, words) {
  const { formulas, hands, random } = world;
  const commands = [...hint.matchAll(/run: formulary formula (.*)/g)].map(([, command]) => command);
  if (/changed since/.test(message)) {
    const remote = formulas.find((one) => one.id === id);
    const known = clone.known.get(`${folder} ${id}`) ?? [0, 0];
    // A version that git reverted to the one that the folder had in common with the service before.
    const isReverted = commands.some((command) => /^pull [\w-]+$/.test(command));
    const isOlder = agesOf(remote).some((age, i) => age < known[i]);
    const isFalse =
      remote && !hands.has(id) && !words.includes('--since') && !isOlder && !isReverted && clone.hasInHistory(remote);
    count(isFalse ? 'FALSE conflicts of content' : 'conflicts of content');
    if (isFalse)
      console.log(`FALSE? seed ${world.number}: ${folder} is ${agesOf(remote)}, knew ${known}: ${words.join(' ')}`);
    const verb = random.pick(['pull', 'push']);
    return obey(
      world,
      clone,
      commands.find((command) => command.startsWith(verb)),
    );
  }
  count(`conflicts of identity: ${anonymize(message)}`);
  const lineageOf = (other) => formulas.find((one) => one.id === other)?.description;
  const isTrue = (command) => {
    const [verb, path = '', other] = command.split(' ');
    if (verb === 'link') return clone.exists(`${path}/manifest.json`) && clone.lineage(path) === lineageOf(other);
    return verb === 'unlink' && !clone.lineages().includes(lineageOf(clone.lock()[path.slice(2)]?.id));
  };
  const command = commands.find(isTrue);
  return command ? obey(world, clone, command) : count('conflicts of identity without a command for the truth');
}

async function obey(world, clone, command) {
  if (command === undefined) return;
  const { code, err, items, writes } = await run(world, clone, command.split(' '));
  for (const { id, outcome } of command.startsWith('pull') ? items : [])
    if (outcome !== 'failed') sees(world, clone, id);
  for (const { before } of writes) world.hands.delete(before?.id);
  // Another command of the same push may have linked the folder.
  if (code !== 0 && !(code === 6 && command.startsWith('link')))
    world.fail(`the hint "${command}" ended with ${code}: ${err.slice(0, 300)}`);
}

/** What people do; `path` and `other` are folders of the clone. */
const createActions = (world) => {
  const { random, next, formulas, hands, saved, place } = world;
  const create = (clone, path = `f/n${next()}`, code = codeOf(next())) =>
    clone.write(path, { name: `N${next()}`, lineage: `L${next()}`, code });
  const edit = (clone, path) => writeFileSync(join(clone.dir, path, 'code.js'), codeOf(next()));
  const moving = {
    move: (clone, path) => clone.move(path, `f/${random.pick(['', 'deep/', 'x/y/'])}m${next()}`),
    renameName: (clone, path) => clone.write(path, { name: `R${next()}`, lineage: clone.lineage(path) }),
    swap: (clone, path, other) => {
      if (path === other) return;
      clone.move(path, 'f/tmp');
      clone.move(other, path);
      clone.move('f/tmp', other);
    },
    chain: (clone, path, other) => {
      if (path === other) return;
      clone.move(path, `f/old${next()}`);
      clone.move(other, path);
    },
    replace: (clone, path) => {
      clone.move(path, `f/moved${next()}`);
      create(clone, path);
    },
  };
  const others = {
    edit,
    create: (clone) =>
      create(clone, random.pick([`f/n${next()}`, `f/deep/n${next()}`]), random.pick([codeOf(0), undefined])),
    copy: (clone, path) => {
      const to = `f/copy${next()}`;
      cpSync(join(clone.dir, path), join(clone.dir, to), { recursive: true });
      const code = random.pick([undefined, codeOf(next())]);
      clone.write(to, { name: `C${next()}`, lineage: `L${next()}`, code });
    },
    remove: (clone, path) => rmSync(join(clone.dir, path), { recursive: true }),
    revert: (clone) => {
      clone.commit('before revert');
      if (clone.tryGit('revert', '--no-edit', 'HEAD') === undefined) clone.tryGit('revert', '--abort');
    },
    byHand: () => {
      const formula = random.pick(formulas);
      const code = random.pick([codeOf(next()), ...(saved.get(formula?.id) ?? [])]);
      if (!formula || formula.code === code) return;
      formula.code = code;
      hands.set(formula.id, new Set());
    },
    worktree: async (clone) => {
      clone.commit('before worktree');
      const dir = join(clone.dir, '..', `tree${next()}`);
      clone.git('worktree', 'add', '-q', '-b', `w${next()}`, dir);
      const tree = new EverydayClone(place, clone.home, { dir });
      edit(tree, random.pick(tree.folders()));
      await push(world, tree);
      tree.commit('of the worktree');
      clone.git('merge', '-q', '--no-edit', tree.git('rev-parse', 'HEAD').trim());
      clone.git('worktree', 'remove', '--force', dir);
    },
    sparse: async (clone, path) => {
      clone.commit('before sparse');
      clone.git('sparse-checkout', 'set', '--no-cone', '/*', `!/${path}/`);
      await push(world, clone, random.pick([[], ['--prune', '--yes'], ['--since', 'HEAD']]));
      clone.commit('sparse');
      clone.git('sparse-checkout', 'disable');
    },
    runner: async (clone) => {
      clone.sync(false);
      const [options, words] = random.pick([
        [[], []],
        [['--depth', '1'], []],
        [[], ['--since', 'HEAD~1', '--prune', '--yes']],
      ]);
      await push(world, new EverydayClone(place, mkdtempSync(join(place, 'ci-')), { options }), words);
    },
    pull: async (clone) => {
      const { items } = await run(world, clone, [
        'pull',
        ...random.pick([[], formulas.slice(0, 1).map(({ id }) => id)]),
      ]);
      for (const { id, outcome } of items) if (outcome === 'written' || outcome === 'unchanged') sees(world, clone, id);
    },
  };
  return { moving, others };
};

const WAYS = [
  [],
  ['--prune', '--yes'],
  ['--since', 'origin/main'],
  ['--since', 'HEAD', '--prune', '--yes'],
  ['f/deep'],
];

async function play(world) {
  const { random, place } = world;
  const actions = createActions(world);
  const [one, two] = ['one', 'two'].map((name) => mkdtempSync(join(place, name)));
  const clones = [new EverydayClone(place, one)];
  for (let i = 0; i < 6; i++) actions.others.create(clones[0]);
  await push(world, clones[0]);
  clones[0].commit('first');
  clones[0].git('push', '-q', 'origin', 'HEAD:main');
  for (const home of [one, two, two]) clones.push(new EverydayClone(place, home));
  for (let step = 0; step < Number(values.steps) && Date.now() < endsAt; step++)
    await playStep(world, random.pick(clones), actions);
}

async function playStep(world, clone, { moving, others }) {
  const { random, formulas, saved } = world;
  const actions = { ...moving, ...others };
  count('steps');
  for (const name of random.times(3, () => random.pick(Object.keys(actions)))) {
    while (clone.folders().length < 2) others.create(clone);
    count(name);
    await actions[name](clone, random.pick(clone.folders()), random.pick(clone.folders()));
    // A folder that is moved and gets another name at once is a rename to everybody, so the two are not mixed.
    if (name in moving) await push(world, clone);
  }
  for (const { id, code } of formulas) saved.set(id, [...new Set([...(saved.get(id) ?? []), code])]);
  if (random.chance(0.5) && !clone.sync(random.chance(0.3))) count('merges given up');
  const words = random.pick(WAYS);
  if (words[0] !== 'f/deep' || clone.exists('f/deep')) await push(world, clone, words);
  if (random.chance(0.7)) clone.sync(false);
}

let seed = Number(values.seed);
for (; Date.now() < endsAt; seed++) {
  const world = await createWorld(seed);
  await play(world);
  world.close();
}
for (const [name, times] of Object.entries(counts).sort(([, a], [, b]) => b - a)) console.log(`${times}\t${name}`);
console.log(`seeds ${values.seed} to ${seed - 1}: ${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
