/** Responses of any bytes: a command exits with a known code and a readable message, and never shows the key. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../src/build/paths.mjs';
import { stringWorld } from '../world.mjs';
import { answerBytes, FORMULA, ID, KEY, KEY_FORMS } from './raw-answers.mjs';
import { startRawService } from './raw-service.mjs';
import { assertSafe } from './unsafe.mjs';

/** Commands by their words; DIR is a formula folder, TREE a folder of some, OUT a place to write to, NAME a formula's name. */
const COMMANDS = [
  'permissions list',
  'formula list',
  'formula list --name x*',
  'formula list --limit 1',
  `formula get ${ID}`,
  'formula get NAME',
  `formula get ${ID} --code`,
  'formula create DIR',
  'formula create DIR --dry-run',
  'formula create DIR --allow-duplicate',
  `formula update ${ID} DIR`,
  'formula update DIR',
  `formula delete ${ID} --yes`,
  'formula diff TREE',
  'formula push TREE',
  'formula push TREE --force --prune --yes',
  'formula push TREE --dry-run',
  'formula pull --dir OUT',
  `formula pull ${ID} --dir OUT --force`,
  `formula link DIR ${ID}`,
  'auth status',
].map((line) => line.split(' '));

const FLAGS = [
  [],
  [],
  ['--json'],
  ['--json'],
  ['-o', 'csv'],
  ['-o', 'jsonl'],
  ['--debug'],
  ['--verbose'],
  ['--json', '--debug'],
];

const KNOWN = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

export async function start({ tool, folder }) {
  const service = await startRawService();
  const check = (input) => checkCommand(input, { tool, folder, service });
  return { check, end: service.stop };
}

export function make(random) {
  const answers = Array.from({ length: 1 + random.int(5) }, () => ({
    bytes: answerBytes(random),
    pieces: random.pick([1, 1, 2, 7, 40]),
    ending: random.chance(0.005) ? 'hold' : random.pick(['end', 'end', 'end', 'reset', 'keep']),
  }));
  return {
    words: [...random.pick(COMMANDS), ...random.pick(FLAGS)],
    columns: random.pick([undefined, undefined, 40, 120]),
    answers: answers.map(fitting),
  };
}

/** A connection that stays open after an incomplete response costs the time limit. */
const fitting = (answer) => (answer.ending === 'keep' && !answer.bytes.isWhole ? { ...answer, ending: 'end' } : answer);

async function checkCommand({ words, columns, answers }, { tool, folder, service }) {
  service.serve(answers);
  const place = mkdtempSync(join(folder, 'w-'));
  try {
    const tree = join(place, 'tree');
    const given = { DIR: join(tree, 'card'), TREE: tree, OUT: tree, NAME: FORMULA.name };
    mkdirSync(tree);
    for (const [name, example] of Object.entries({ card: 'tokenize-card', hook: 'map-webhook' }))
      cpSync(at(`formulas-example/${example}`), join(tree, name), { recursive: true });
    const state = join(place, 'state');
    const env = {
      FORMULARY_BASE_URL: service.url,
      FORMULARY_API_KEY: KEY,
      XDG_STATE_HOME: state,
      XDG_CONFIG_HOME: state,
    };
    const { host, texts } = stringWorld({ cwd: place, env, columns, processIdentity: tool.processIdentity });
    const argv = [
      ...words.map((word) => given[word] ?? word),
      '--timeout',
      '1',
      ...(words[0] === 'auth' ? [] : ['--retry-timeout', '10']),
    ];
    const code = await tool.main(argv, host);
    judge({ words, code, ...texts });
    for (const form of KEY_FORMS)
      for (const file of filesIn(place)) assert.ok(!readFileSync(file, 'latin1').includes(form), `the key in ${file}`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function judge({ words, code, out, err }) {
  const told = `${words.join(' ')} ended with ${code}: ${err.slice(-600)}`;
  assert.ok(KNOWN.includes(code), told);
  if (!words.includes('--debug')) assert.doesNotMatch(err, /\n\s+at \S+ \(|undefined|\[object Object\]|NaN/, told);
  for (const form of KEY_FORMS) assert.ok(!out.includes(form) && !err.includes(form), `the key is shown: ${told}`);
  assertSafe(err, `stderr: ${told}`);
  if (!words.includes('--code')) assertSafe(out, `stdout: ${told}`);
  if (words.includes('--json') && !words.includes('--code')) judgeJson({ words, code, out, err });
}

/** One document or nothing; without one, the last line of stderr is the error with this code. */
function judgeJson({ words, code, out, err }) {
  if (out !== '') JSON.parse(out);
  if (out === '' && code === 0) throw new Error(`${words.join(' ')} ended with 0 and said nothing`);
  if (out !== '') return;
  const { error } = JSON.parse(err.trimEnd().split('\n').at(-1));
  assert.equal(error.exit_code, code);
  assert.ok(error.message.length > 0);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}
