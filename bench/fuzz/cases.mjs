/** Test files of any text: parsed, or rejected with true positions; a new expectation in a file changes nothing else in it. */
import assert from 'node:assert/strict';
import { anyValue, disturbed } from './any-value.mjs';
import { CASES } from './corpus.mjs';
import { checkInside } from './located-json.mjs';
import { mutated } from './mutate.mjs';

const WORDS = [
  '"expect":',
  '"partial": true',
  '"error": {}',
  '"error": {"message": 1}',
  '"raw": null',
  '"name": ""',
  '"args": [',
  '12345678901234567890',
  '1e999',
  '{}',
  '[]',
  'null',
  '\r\n',
  '\t',
  '\ufeff',
  '"__proto__": {}',
];

export function make(random) {
  let value = JSON.parse(random.pick(CASES));
  for (let i = random.int(3); i > 0; i--) value = disturbed(random, value);
  const text = JSON.stringify(value, null, random.pick([0, 2, '\t'])) ?? '';
  return {
    text: random.chance(0.5) ? text : mutated(random, { corpus: [text, ...CASES], words: WORDS }),
    expect: { raw: anyValue(random) },
  };
}

export function start({ tool }) {
  const check = ({ text, expect }) => {
    const { tests, problems, warnings } = tool.parseTests(text);
    for (const { message, position } of [...problems, ...warnings]) {
      assert.ok(message.length > 0 && message.length < 1_000 + 8 * text.length, `a message of ${message.length}`);
      checkInside(text, position);
    }
    if (!isJson(text)) return assert.ok(problems.length > 0 && tests.length === 0);
    const value = JSON.parse(text);
    const stated = Array.isArray(value) ? value : [value];
    assert.ok(tests.length <= stated.length);
    if (problems.length > 0) return;
    assert.equal(tests.length, stated.length);
    for (const given of tests) judgeCase(given);
    if (tests.length > 0) checkRewriting(text, value, tests, expect);
  };

  /** An outcome fulfils the expectation that is made from it. */
  const judgeCase = (given) => {
    assert.equal(typeof given.name, 'string');
    const { raw, tokenize } = given.expect;
    const outcome = { response: { ...(raw !== undefined && { raw }), ...(tokenize !== undefined && { tokenize }) } };
    const updated = tool.updateExpectation(given.expect, outcome);
    assert.equal(tool.findMismatch(updated, outcome), undefined);
  };

  const checkRewriting = (text, value, tests, expect) => {
    const { path } = tests.at(-1);
    const changed = tool.replaceValue(text, [...path, 'expect'], expect);
    const wanted = structuredClone(value);
    (path.length === 0 ? wanted : wanted[path[0]]).expect = JSON.parse(JSON.stringify(expect));
    assert.deepEqual(JSON.parse(changed), wanted);
  };
  return { check };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
