/** A lock file, any text: read or refused in words, never another exception; what is read is printed so that it is read again as the same. */
import assert from 'node:assert/strict';
import { anyText, disturbed } from './any-value.mjs';
import { mutated } from './mutate.mjs';

const ID = '33333333-3333-4333-8333-333333333333';
const LOCK = {
  version: 1,
  targets: {
    'https://api.example.test': { 'formulas/card': { id: ID }, '.': { id: 'x' } },
    staging: { 'a/b/c': { id: ID }, __proto__x: { id: '1' } },
  },
};
const WORDS = [
  '"version": 2',
  '"version": null',
  '"targets": []',
  '"__proto__": {"id": "1"}',
  '"../x": {"id": "1"}',
  '"/": {}',
  '"id": ""',
  '<<<<<<< a\n',
  '=======\n',
  '>>>>>>> b\r\n',
  '\ufeff',
  '\\u0000',
  '{}',
];

export function make(random) {
  const value = structuredClone(LOCK);
  for (let i = random.int(3); i > 0; i--) value.targets.staging[anyText(random)] = { id: anyText(random) };
  const text = JSON.stringify(random.chance(0.5) ? disturbed(random, value) : value, null, 2) ?? '';
  return random.chance(0.3) ? text : mutated(random, { corpus: [text], words: WORDS });
}

export function start({ tool }) {
  const check = (text) => {
    let lock;
    try {
      lock = tool.parseLockfile(text, 'formulas.lock.json');
    } catch (error) {
      assert.equal(error.outcome, 'invalid', String(error));
      assert.match(error.message, /^formulas\.lock\.json:\d+:\d+: /);
      assert.ok(error.message.length < 500 + 8 * text.length, `a message of ${error.message.length}`);
      return;
    }
    for (const entries of lock.values())
      for (const [folder, id] of entries) {
        assert.ok(id !== '' && typeof id === 'string');
        assert.doesNotMatch(folder, /^\/|(^|\/)\.\.(\/|$)/);
      }
    const printed = tool.formatLockfile(lock);
    const again = tool.parseLockfile(printed, 'again');
    assert.equal(tool.formatLockfile(again), printed);
    assert.deepEqual(asTexts(again), asTexts(lock));
  };
  return { check };
}

/** Targets without a folder are not kept. */
const asTexts = (lock) =>
  [...lock]
    .filter(([, entries]) => entries.size > 0)
    .map(([target, entries]) => JSON.stringify([target, ...[...entries].sort()]))
    .sort();
