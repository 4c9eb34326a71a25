/** What is said where the lock file cannot be written. */
import { describe, expect, it } from 'vitest';
import { saveNotes } from '../../src/commands/formula/save-notes.ts';
import type { Identities } from '../../src/sync/identities.ts';

const readOnly: Identities = {
  ids: new Map(),
  files: [],
  link: () => undefined,
  unlink: () => undefined,
  saved: () => Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' })),
};
const SHARED = { name: 'staging', isShared: true };

describe('a lock file that cannot be written', () => {
  it('is an error that shows the ids of the formulas that were created, renamed, or deleted', async () => {
    const changed = [{ id: 'b3f1', name: 'Card' }];
    await expect(saveNotes(readOnly, undefined, SHARED, expect.unreachable, { changed })).rejects.toMatchObject({
      outcome: 'partial',
      message: expect.stringContaining('"Card" (b3f1)'),
      hint: expect.stringContaining('--no-lock'),
      details: { ids: ['b3f1'] },
    });
  });

  it('is a warning where nothing was created, renamed, or deleted', async () => {
    const warnings: string[] = [];
    await saveNotes(readOnly, undefined, SHARED, (text) => void warnings.push(text));
    expect(warnings).toEqual([expect.stringContaining('formulas.lock.json could not be written (EACCES)')]);
  });
});
