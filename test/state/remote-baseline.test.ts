/** What was last seen of formulas, and whether others changed them since. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withRedaction } from '../../src/host/host.ts';
import type { Formula } from '../../src/model.ts';
import { forgetBaseline, hasChangedSince, openBaselines, recordBaseline } from '../../src/state/remote-baseline.ts';
import { shortHash } from '../../src/state/xdg-paths.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const TARGET = 'staging';
const CARD: Formula = { id: 'AB', name: 'Tokenize a card', code: 'x', modified_at: '2026-11-28T10:00:00Z' };

function open(state: string, warn: (text: string) => void = (text) => expect.unreachable(text)) {
  const seen = openBaselines(withRedaction(testHost({ env: { XDG_STATE_HOME: state } }).host), TARGET, warn);
  if (!seen) throw new Error('there is a state folder');
  return seen;
}

describe('what was last seen', () => {
  it('tells a change by others from none, in the next run too', async () => {
    const state = folderWith();
    const seen = open(state);
    expect(hasChangedSince(seen.value, CARD)).toBe(false);
    recordBaseline(seen, CARD);
    await seen.flush();
    const next = open(state);
    expect(hasChangedSince(next.value, { ...CARD, id: 'ab', description: null, configuration: [] })).toBe(false);
    expect(hasChangedSince(next.value, { ...CARD, modified_at: '2026-11-29T10:00:00Z' })).toBe(false);
    expect(hasChangedSince(next.value, { ...CARD, code: 'y' })).toBe(true);
    expect(hasChangedSince(next.value, { ...CARD, id: 'other', code: 'y' })).toBe(false);
    forgetBaseline(next, CARD);
    expect(hasChangedSince(next.value, { ...CARD, code: 'y' })).toBe(false);
  });

  it('counts as not known when its file is broken, and says so', () => {
    const state = folderWith({ [`formulary/seen/${shortHash(TARGET)}.json`]: '{"formulas":' });
    const heard: string[] = [];
    expect(open(state, (text) => heard.push(text)).value.size).toBe(0);
    expect(heard.join()).toContain('changes that others made since are not noticed');
  });

  it('is written again only when something is new', async () => {
    const state = folderWith();
    const seen = open(state);
    recordBaseline(seen, CARD);
    await seen.flush();
    const file = join(state, `formulary/seen/${shortHash(TARGET)}.json`);
    writeFileSync(file, `${readFileSync(file, 'utf8')} `);
    recordBaseline(seen, CARD);
    await seen.flush();
    expect(readFileSync(file, 'utf8')).toMatch(/ $/);
  });
});
