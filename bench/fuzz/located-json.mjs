/** JSON with positions: accepts, rejects, and reads as JSON.parse and a simple reader do, with correct positions. */
import assert from 'node:assert/strict';
import { anyValue, disturbed } from './any-value.mjs';
import { MANIFESTS } from './corpus.mjs';
import { mutated } from './mutate.mjs';
import { readPlainJson } from './plain-json.mjs';

const WORDS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u',
  '\\ud83d',
  '\\x',
  '//',
  '/*',
  '*/',
  'null',
  'true',
  'nul',
  '01',
  '-',
  '1.',
  '.5',
  '1e',
  '1e+5',
  "'",
  '"a":',
  '"a": 1, "a": 2',
  '"__proto__": {}',
  '[[[',
  '{"a":{',
  '\ufeff',
  '\r',
  '\u2028',
  '<<<<<<< x\n',
  'NaN',
];

const numbered = (text) => {
  const ends = [...text.matchAll(/\r\n|[\n\r]/g)];
  return (offset) => {
    const before = ends.filter((end) => end.index + end[0].length <= offset);
    const last = before.at(-1);
    return { line: before.length + 1, column: offset - (last ? last.index + last[0].length : 0) + 1 };
  };
};

export function make(random) {
  const corpus = [
    ...MANIFESTS,
    JSON.stringify(disturbed(random, JSON.parse(random.pick(MANIFESTS))), null, random.int(3)),
  ];
  if (random.chance(0.2)) corpus.push(JSON.stringify(anyValue(random, 4)) ?? '');
  if (random.chance(0.02)) corpus.push(`${'['.repeat(random.int(140))}1${']'.repeat(random.int(140))}`);
  return random.chance(0.1) ? corpus.at(-1) : mutated(random, { corpus, words: WORDS });
}

export function start({ tool }) {
  const check = (text) => {
    const { value, problems: faults, locate, locateKey } = tool.parseJsonWithPositions(text);
    for (const { position } of faults) checkInside(text, position);
    if (faults.some(({ kind }) => kind === 'depth')) return;
    const plain = readPlainJson(text);
    const isJson = isAccepted(text);
    assert.equal(plain.failsAt === undefined, isJson, 'the plain reader and JSON.parse differ');
    assert.equal(
      faults.some(({ kind }) => kind === 'syntax'),
      !isJson,
      'refuses what is JSON, or takes what is none',
    );
    if (!isJson) return assert.equal(value, undefined);
    assert.ok(plain.depth <= 64, 'too deep, and not said');
    assert.deepEqual(value, plain.value);
    const placeOf = numbered(text);
    for (const [path, at] of plain.places)
      assert.deepEqual(locate(JSON.parse(path)), placeOf(at), `the place of ${path}`);
    for (const [path, at] of plain.keys) assert.deepEqual(locateKey(JSON.parse(path)), placeOf(at), `the key ${path}`);
    const doubled = faults.map(({ position }) => position);
    const inOrder = [...plain.doubled].sort((a, b) => a - b).map(placeOf);
    assert.deepEqual(doubled, inOrder, 'keys that stand twice');
  };
  return { check };
}

function isAccepted(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A position is in the text if its line exists, and its column is at most one past the end. */
export function checkInside(text, { line, column }, ends = /\r\n|[\n\r]/) {
  const lines = text.split(ends);
  assert.ok(line >= 1 && line <= lines.length, `line ${line} of ${lines.length}`);
  assert.ok(column >= 1 && column <= lines[line - 1].length + 1, `column ${column} in line ${line}`);
}
