/** Saved versions of any content: `formula history` and `formula restore` exit with a known code. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringWorld } from '../world.mjs';
import { anyText, disturbed } from './any-value.mjs';
import { MANIFESTS } from './corpus.mjs';
import { mutated } from './mutate.mjs';
import { assertSafe } from './unsafe.mjs';

const NAME = '0123456789abcdef-20260301120000000';
const ENTRY = {
  entry: NAME,
  at: '2026-03-01T12:00:00.000Z',
  operation: 'update',
  target: 'local',
  id: '33333333-3333-4333-8333-333333333333',
  name: 'Tokenize a card',
  formula: {
    id: '33333333-3333-4333-8333-333333333333',
    ...JSON.parse(MANIFESTS[0]),
    code: 'module.exports = async () => ({ raw: 1 });\n',
  },
};
const WORDS = [
  '"hidden": ["code"]',
  '"hidden": 1',
  '"formula": null',
  '"formula": []',
  '"id": 1',
  '"at": ""',
  '"operation": "x"',
  '"code": null',
  '\ufeff',
  'null',
  '{}',
  '[]',
];
const WORLDS = [
  ['history'],
  ['history', '--json'],
  ['history', '-o', 'csv'],
  ['history', 'Tokenize a card'],
  ['restore', NAME, '--yes'],
  ['restore', NAME, '--yes', '--json'],
];

export function make(random) {
  let value = ENTRY;
  for (let i = random.int(4); i > 0; i--) value = disturbed(random, value);
  if (random.chance(0.1)) value = { ...ENTRY, name: anyText(random), target: anyText(random), at: anyText(random) };
  const text = JSON.stringify(value, null, 2) ?? '';
  return {
    words: random.pick(WORLDS),
    columns: random.pick([undefined, 60]),
    text: random.chance(0.5) ? text : mutated(random, { corpus: [text], words: WORDS }),
  };
}

const KNOWN = [0, 1, 2, 3, 4, 5, 6, 8];
export function start({ tool, folder }) {
  const check = async ({ words, columns, text }) => {
    const place = mkdtempSync(join(folder, 'h-'));
    try {
      const state = join(place, 'formulary/history');
      mkdirSync(state, { recursive: true });
      writeFileSync(join(state, `${NAME}.json`), text);
      const env = { XDG_STATE_HOME: place, FORMULARY_PROFILE: 'local', FORMULARY_LOCAL_DATA: join(place, 'local.db') };
      const { host, texts } = stringWorld({ cwd: place, env, columns, processIdentity: tool.processIdentity });
      const code = await tool.main(['formula', ...words, ...(words[0] === 'restore' ? ['--local'] : [])], host);
      const told = `${words.join(' ')} ended with ${code}: ${texts.err.slice(-500)}`;
      assert.ok(KNOWN.includes(code), told);
      assertSafe(texts.out + texts.err, told);
      if (words.includes('--json') && texts.out !== '') JSON.parse(texts.out);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  };
  return { check };
}
