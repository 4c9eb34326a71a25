/** What decides which version of a folder is live. */
import { describe, expect, it } from 'vitest';
import type { Formula, FormulaBody } from '../../src/model.ts';
import type { Match } from '../../src/sync/push/match-folders.ts';
import { toLiveVersion } from '../../src/sync/status.ts';

const BODY: FormulaBody = { name: 'A', type: 'private', code: 'now', configuration: [], request_parameters: [] };
const remote = (code: string, more: object = {}) => ({ id: '1', ...BODY, code, ...more }) as Formula;
const folder = {
  folder: { path: '/a', displayPath: 'a' },
  name: 'A',
  findings: [],
  durationMs: 0,
  body: BODY,
};
const conflict = { reason: 'several', hint: '' };
const COMMIT = { commit: '4f2c1aa', behind: 3 };

describe('the live version of a folder', () => {
  it.each<[string, Partial<Match>, Parameters<typeof toLiveVersion>[1], string]>([
    ['has the content of the working tree', { remote: remote('now') }, undefined, 'current'],
    [
      'has the same, and a description that the folder does not set',
      { remote: remote('now', { description: 'd' }) },
      undefined,
      'current',
    ],
    ['is that of a commit', { remote: remote('old') }, COMMIT, 'behind'],
    [
      'is that of HEAD, with uncommitted changes',
      { remote: remote('old') },
      { commit: '4f2c1aa', behind: 0 },
      'behind',
    ],
    ['is in no commit', { remote: remote('old') }, undefined, 'changed'],
    ['may be in a commit whose bundle is unknown', { remote: remote('old') }, 'unknown', 'unknown'],
    ['does not exist', {}, undefined, 'missing'],
    ['is one of several formulas', { conflict }, undefined, 'conflict'],
    ['is known, although its new name is in use', { remote: remote('old'), conflict }, COMMIT, 'behind'],
  ])('%s', (_, match, found, state) => {
    const version = toLiveVersion({ folder, ...match }, found);
    expect(version.state).toBe(state);
    expect(version.place).toEqual(state === 'behind' ? found : undefined);
  });
});
