/** A push against a service that fails at random, which is repeated until it is done; the large one is bench/push-storm.mjs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../bench/storm-service.mjs';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

const FOLDERS = 30;
const codeOf = (i: number) => `module.exports = async () => ({ raw: { number: ${i} } });\n`;

describe('a push that is repeated until it succeeds', () => {
  it.each([1, 2, 3])('creates each formula exactly once, whatever fails (seed %i)', async (seed) => {
    const service = await startService({ mode: 'mixed', seed, share: 40 });
    onTestFinished(service.stop);
    const files = Array.from({ length: FOLDERS }, (_, i) =>
      inFolder(`f${i}`, cardFiles({ name: `Storm ${i}` }, { 'code.js': codeOf(i) })),
    );
    const root = folderWith(Object.assign({}, ...files));
    const env = {
      XDG_STATE_HOME: folderWith(),
      FORMULARY_BASE_URL: service.url,
      FORMULARY_API_KEY: 'key_of-the-storm',
      FORMULARY_TARGET: 'storm',
    };
    const codes: number[] = [];
    while (codes.at(-1) !== 0 && codes.length < 20) {
      const { code, out, err } = await run(['formula', 'push', root, '--json', '--concurrency', '4'], { env });
      codes.push(code);
      expect([0, 7, 8, 9], err).toContain(code);
      const { created = 0, unchanged = 0 } = out === '' ? {} : JSON.parse(out).summary;
      expect(created + unchanged).toBeLessThanOrEqual(service.formulas.length);
    }
    expect(codes.at(-1)).toBe(0);
    const found = service.formulas.map(({ name, code }) => [name, code]).sort();
    expect(found).toEqual(Array.from({ length: FOLDERS }, (_, i) => [`Storm ${i}`, codeOf(i)]).sort());
    const lock = JSON.parse(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).targets.storm;
    const ids = Object.values<{ id: string }>(lock).map(({ id }) => id);
    expect(ids.sort()).toEqual(service.formulas.map(({ id }) => id).sort());
  });
});
