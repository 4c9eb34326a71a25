/** Kept profiles, any text: `auth status` ends with a code that is known, and shows no more of the key than its end. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringWorld } from '../world.mjs';
import { anyText, disturbed } from './any-value.mjs';
import { mutated } from './mutate.mjs';
import { assertSafe } from './unsafe.mjs';

const KEY = 'key_kept_marked_0123456789';
const PROFILE = { version: 1, base_url: 'http://127.0.0.1:9', api_key_header: 'SVC-API-KEY', api_key: KEY };
const WORDS = [
  '"version": 9',
  '"base_url": "file:///etc/passwd"',
  '"base_url": "http://u:p@127.0.0.1:9"',
  '"api_key": ""',
  '"api_key": "a\\nb"',
  '"api_key_header": "x y"',
  '"api_key_header": "host"',
  '\ufeff',
  'null',
  '[]',
];

export function make(random) {
  let value = PROFILE;
  for (let i = random.int(3); i > 0; i--) value = disturbed(random, value);
  if (random.chance(0.1)) value = { ...PROFILE, api_key_header: anyText(random) };
  const text = JSON.stringify(value, null, 2) ?? '';
  return {
    words: random.pick([
      ['auth', 'status'],
      ['auth', 'status', '--json'],
      ['auth', 'logout'],
    ]),
    text: random.chance(0.5) ? text : mutated(random, { corpus: [text], words: WORDS }),
  };
}

export function start({ tool, folder }) {
  const check = async ({ words, text }) => {
    // Nothing but loopback is asked.
    if (/base_url/.test(text) && !text.includes('127.0.0.1:9"')) return;
    const place = mkdtempSync(join(folder, 'p-'));
    try {
      mkdirSync(join(place, 'formulary/profiles'), { recursive: true, mode: 0o700 });
      writeFileSync(join(place, 'formulary/profiles/default.json'), text, { mode: 0o600 });
      const env = { XDG_CONFIG_HOME: place, XDG_STATE_HOME: place };
      const { host, texts } = stringWorld({ cwd: place, env, processIdentity: tool.processIdentity });
      const code = await tool.main(words, host);
      const told = `${words.join(' ')} ended with ${code}: ${texts.err.slice(-500)}`;
      assert.ok([0, 1, 2, 4, 8].includes(code), told);
      assertSafe(texts.out + texts.err, told);
      assert.ok(!(texts.out + texts.err).includes(KEY), `the key is shown: ${told}`);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  };
  return { check };
}
