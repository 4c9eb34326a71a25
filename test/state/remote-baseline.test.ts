import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashContent } from '../../src/formula-fields.ts';
import { withRedaction } from '../../src/host/host.ts';
import type { Formula } from '../../src/model.ts';
import { openBaselines } from '../../src/state/baseline-file.ts';
import { compareToBaseline, forgetBaseline, recordBaseline, recordPending } from '../../src/state/remote-baseline.ts';
import { shortHash } from '../../src/state/xdg-paths.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const TARGET = 'staging';
const CARD: Formula = { id: 'AB', name: 'Tokenize a card', code: 'x', modified_at: '2026-11-28T10:00:00Z' };
const FOLDER = '/project/card';

const fileIn = (state: string) => join(state, `formulary/baselines/${shortHash(TARGET)}.json`);
const hostWith = (state: string, now?: Date) => {
  const { host } = testHost({ env: { XDG_STATE_HOME: state } });
  const redacting = withRedaction(now ? { ...host, now: () => now } : host);
  redacting.addRedactor((text) => text.replaceAll('secret', '[hidden]'));
  return redacting;
};

function open(state: string, warn: (text: string) => void = (text) => expect.unreachable(text), now?: Date) {
  const baselines = openBaselines(hostWith(state, now), TARGET, warn);
  if (!baselines) throw new Error('there is a state folder');
  return baselines;
}

describe('a baseline', () => {
  it('detects changes by others, in the next run too, for its folder only', async () => {
    const state = folderWith();
    const baselines = open(state);
    expect(compareToBaseline(baselines.value, FOLDER, CARD)).toBe('unknown');
    recordBaseline(baselines, FOLDER, CARD);
    await baselines.flush();
    const next = open(state);
    const compare = (change: Partial<Formula>, folder = FOLDER) =>
      compareToBaseline(next.value, folder, { ...CARD, ...change });
    expect(compare({ id: 'ab', description: null, configuration: [] })).toBe('same');
    expect(compare({ modified_at: '2026-11-29T10:00:00Z' })).toBe('same');
    expect(compare({ code: 'y' })).toBe('changed');
    expect(compare({ id: 'other', code: 'y' })).toBe('unknown');
    expect(compare({ code: 'y' }, '/copy/card')).toBe('unknown');
    forgetBaseline(next, FOLDER, CARD);
    expect(compare({ code: 'y' })).toBe('unknown');
  });

  it('includes the content that was about to be sent, and the previous one', async () => {
    const state = folderWith();
    const baselines = open(state);
    recordBaseline(baselines, FOLDER, CARD);
    await recordPending(baselines, [
      { folder: FOLDER, remote: CARD, hash: hashContent({ ...CARD, type: 'private', code: 'y' } as Formula) },
    ]);
    const compare = (code: string) => compareToBaseline(open(state).value, FOLDER, { ...CARD, code });
    expect(['x', 'y', 'z'].map(compare)).toEqual(['same', 'same', 'changed']);
  });

  it('is unknown if a first push was killed before its request', async () => {
    const state = folderWith();
    await recordPending(open(state), [{ folder: FOLDER, remote: CARD, hash: 'h' }]);
    expect(compareToBaseline(open(state).value, FOLDER, CARD)).toBe('unknown');
  });

  it('of a folder that has not existed for 90 days is removed', async () => {
    const state = folderWith();
    const folder = folderWith({ 'a/manifest.json': '{}' });
    const path = join(folder, 'a');
    const day = (days: number) => new Date(Date.UTC(2026, 0, 1 + days));
    const recordAt = async (days: number, name: string) => {
      const baselines = open(state, undefined, day(days));
      recordBaseline(baselines, folder, { ...CARD, id: name });
      await baselines.flush();
      return compareToBaseline(open(state).value, path, CARD);
    };
    const baselines = open(state, undefined, day(0));
    recordBaseline(baselines, path, CARD);
    await baselines.flush();
    rmSync(path, { recursive: true });
    expect([await recordAt(1, '1'), await recordAt(91, '2'), await recordAt(92, '3')]).toEqual([
      'same',
      'same',
      'unknown',
    ]);
  });

  it('is unknown if the file is invalid, with a warning', () => {
    const state = folderWith({ [`formulary/baselines/${shortHash(TARGET)}.json`]: '{"baselines":' });
    const warnings: string[] = [];
    expect(open(state, (text) => warnings.push(text)).value.size).toBe(0);
    expect(warnings.join()).toContain('remote changes since your last pull or push are not detected');
  });

  it('with an invalid time is known, and can be written again', async () => {
    const item = { folder: FOLDER, id: CARD.id, hash: 'h', modified_at: 5 };
    const state = folderWith({
      [`formulary/baselines/${shortHash(TARGET)}.json`]: JSON.stringify({ baselines: [item] }),
    });
    const baselines = open(state);
    expect(compareToBaseline(baselines.value, FOLDER, CARD)).toBe('changed');
    recordBaseline(baselines, `${FOLDER}/b`, CARD);
    await expect(baselines.flush()).resolves.toBeUndefined();
  });

  it('is written again only if something is new', async () => {
    const state = folderWith();
    const baselines = open(state);
    recordBaseline(baselines, FOLDER, CARD);
    await baselines.flush();
    const file = fileIn(state);
    writeFileSync(file, `${readFileSync(file, 'utf8')} `);
    recordBaseline(baselines, FOLDER, CARD);
    await baselines.flush();
    expect(readFileSync(file, 'utf8')).toMatch(/ $/);
  });
});
