import { describe, expect, it } from 'vitest';
import type { Formula } from '../../src/model.ts';
import type { Match } from '../../src/sync/push/match-folders.ts';
import { toLiveVersion } from '../../src/sync/status.ts';

const remote: Formula = { id: '1', name: 'A' };
const conflict = { reason: 'several', hint: '' };
const COMMIT = { commit: '4f2c1aa', behind: 3 };

describe('the live version of a folder', () => {
  it.each<[string, Partial<Match>, boolean, Parameters<typeof toLiveVersion>[2], string]>([
    ['is that of the working tree', { remote }, true, undefined, 'current'],
    ['is that of a commit', { remote }, false, COMMIT, 'behind'],
    ['is that of HEAD, with uncommitted changes', { remote }, false, { ...COMMIT, behind: 0 }, 'behind'],
    ['is in no commit', { remote }, false, undefined, 'changed'],
    ['may be in a commit whose bundle is unknown', { remote }, false, 'unknown', 'unknown'],
    ['does not exist', {}, false, undefined, 'missing'],
    ['is one of several formulas', { conflict }, false, undefined, 'conflict'],
    ['is known, although its new name is in use', { remote, conflict }, false, COMMIT, 'behind'],
  ])('%s', (_, match, isEqual, found, state) => {
    const version = toLiveVersion(match, isEqual, found);
    expect(version.state).toBe(state);
    expect(version.place).toEqual(state === 'behind' ? found : undefined);
  });
});
