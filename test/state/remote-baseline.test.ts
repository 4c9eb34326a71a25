/** What was last seen of formulas, and whether others changed them since. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardedHost } from '../../src/host/host.ts';
import type { Formula } from '../../src/model.ts';
import { forgetSeen, isChangedSince, noteSeen, openSeen } from '../../src/state/remote-baseline.ts';
import { fingerprint } from '../../src/state/xdg-paths.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const TARGET = 'staging';
const CARD: Formula = { id: 'AB', name: 'Tokenize a card', code: 'x', modified_at: '2026-11-28T10:00:00Z' };

function open(state: string, warn: (text: string) => void = (text) => expect.unreachable(text)) {
  const seen = openSeen(guardedHost(testHost({ env: { XDG_STATE_HOME: state } }).host), TARGET, warn);
  if (!seen) throw new Error('there is a state folder');
  return seen;
}

describe('what was last seen', () => {
  it('tells a change by others from none, in the next run too', async () => {
    const state = folderWith();
    const seen = open(state);
    expect(isChangedSince(seen.value, CARD)).toBe(false);
    noteSeen(seen, CARD);
    await seen.saved();
    const next = open(state);
    expect(isChangedSince(next.value, { ...CARD, id: 'ab', description: null, configuration: [] })).toBe(false);
    expect(isChangedSince(next.value, { ...CARD, modified_at: '2026-11-29T10:00:00Z' })).toBe(false);
    expect(isChangedSince(next.value, { ...CARD, code: 'y' })).toBe(true);
    expect(isChangedSince(next.value, { ...CARD, id: 'other', code: 'y' })).toBe(false);
    forgetSeen(next, CARD);
    expect(isChangedSince(next.value, { ...CARD, code: 'y' })).toBe(false);
  });

  it('counts as not known when its file is broken, and says so', () => {
    const state = folderWith({ [`formulary/seen/${fingerprint(TARGET)}.json`]: '{"formulas":' });
    const heard: string[] = [];
    expect(open(state, (text) => heard.push(text)).value.size).toBe(0);
    expect(heard.join()).toContain('changes that others made since are not noticed');
  });

  it('is written again only when something is new', async () => {
    const state = folderWith();
    const seen = open(state);
    noteSeen(seen, CARD);
    await seen.saved();
    const file = join(state, `formulary/seen/${fingerprint(TARGET)}.json`);
    writeFileSync(file, `${readFileSync(file, 'utf8')} `);
    noteSeen(seen, CARD);
    await seen.saved();
    expect(readFileSync(file, 'utf8')).toMatch(/ $/);
  });
});
