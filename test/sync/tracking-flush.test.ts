import { describe, expect, it } from 'vitest';
import { withRedaction } from '../../src/host/host.ts';
import type { Links } from '../../src/sync/links.ts';
import { flushTracking } from '../../src/sync/tracking-flush.ts';
import { testHost } from '../helpers/test-host.ts';

const failing = (error: object): Links => ({
  ids: new Map(),
  files: [],
  targets: [],
  copies: [],
  elsewhere: [],
  unsearched: [],
  findFile: () => undefined,
  link: () => undefined,
  unlink: () => undefined,
  flush: () => Promise.reject(Object.assign(new Error('refused'), error)),
});
const readOnly = failing({ code: 'EACCES' });
const host = withRedaction(testHost({ env: {} }).host);
const SHARED = { name: 'staging', isShared: true };

describe('a lock file that cannot be written', () => {
  it('is an error that shows the ids of the formulas that were created, renamed, or deleted', async () => {
    const changed = [{ id: 'b3f1', name: 'Card' }];
    await expect(
      flushTracking(readOnly, undefined, SHARED, host, expect.unreachable, { changed }),
    ).rejects.toMatchObject({
      outcome: 'partial',
      message: expect.stringContaining('"Card" (b3f1)'),
      hint: expect.stringContaining('--no-lock'),
      details: { ids: ['b3f1'] },
    });
  });

  it('reports that another program may have it open', async () => {
    const saving = flushTracking(
      failing({ code: 'EPERM', isInUse: true }),
      undefined,
      SHARED,
      host,
      expect.unreachable,
      { changed: [{ id: 'b3f1', name: 'Card' }] },
    );
    await expect(saving).rejects.toMatchObject({
      message: expect.stringContaining(
        'could not write formulas.lock.json: another program may have it open; the rename was retried for 1 s (EPERM);',
      ),
      hint: 'Close that program, and run the command again, or pass --no-lock.',
    });
  });

  it('is a warning if nothing was created, renamed, or deleted', async () => {
    const warnings: string[] = [];
    await flushTracking(readOnly, undefined, SHARED, host, (text) => void warnings.push(text));
    expect(warnings).toEqual([
      expect.stringContaining('formulas.lock.json could not be written: permission denied (EACCES)'),
    ]);
  });
});
