import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createApplication,
  createFirstApplication,
  findApplication,
  parseServiceKey,
} from '../../src/service/applications.ts';
import { NOW, temporaryFolder, temporaryStore } from './fixture.ts';

const READER = { name: 'reader', type: 'management', permissions: ['reactor:read'], now: NOW };

describe('an application', () => {
  it('gets an id and a key, and is found by its key', async () => {
    const store = await temporaryStore();
    const { application, key } = createApplication(store, READER);
    expect(application).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'reader',
      type: 'management',
      permissions: ['reactor:read'],
      created_at: '2026-02-03T04:05:06.789+00:00',
    });
    expect(key).toMatch(/^key_[0-9A-Za-z]{32}$/);
    expect(findApplication(store, key)).toEqual(application);
    expect(findApplication(store, `${key}x`)).toBeUndefined();
    expect(store.applications.list()).toEqual([application]);
  });

  it('never has the same key as another', async () => {
    const store = await temporaryStore();
    const keys = Array.from({ length: 50 }, () => createApplication(store, READER).key);
    expect(new Set(keys).size).toBe(50);
    expect(() => createApplication(store, { ...READER, key: keys[7] ?? '' })).toThrow('already has this key');
    expect(store.applications.list()).toHaveLength(50);
  });

  it('stores nothing of its key in the data file', async () => {
    const folder = temporaryFolder();
    const store = await temporaryStore(join(folder, 'x.db'));
    createApplication(store, { ...READER, key: 'the-chosen-key' });
    expect(findApplication(store, 'the-chosen-key')?.name).toBe('reader');
    const files = ['x.db', 'x.db-wal'].map((name) => readFileSync(join(folder, name), 'latin1')).join('');
    expect(files).toContain('reader');
    expect(files).not.toContain('the-chosen-key');
  });

  it.each([
    ['a permission of another type', { type: 'public', permissions: ['reactor:read'] }, 'only management can'],
    ['a token permission for management', { permissions: ['token:read'] }, 'only private or expiring can'],
    ['an unknown permission', { permissions: ['reactor:dance'] }, 'unknown permission "reactor:dance"'],
    ['an unknown type', { type: 'secret', permissions: [] }, 'unknown application type "secret"'],
    ['an empty key', { key: '' }, 'printable ASCII'],
    ['a key with a line break', { key: 'abc\ndef' }, 'printable ASCII'],
  ])('is rejected with %s', async (_title, change, message) => {
    const store = await temporaryStore();
    expect(() => createApplication(store, { ...READER, ...change })).toThrow(
      expect.objectContaining({ outcome: 'usage', message: expect.stringContaining(message) }),
    );
    expect(store.applications.list()).toHaveLength(0);
  });

  it('no longer exists after removal, nor does its key', async () => {
    const store = await temporaryStore();
    const { application, key } = createApplication(store, READER);
    expect(store.applications.remove(application.id)).toBe(true);
    expect(store.applications.remove(application.id)).toBe(false);
    expect(findApplication(store, key)).toBeUndefined();
  });
});

describe('the first application', () => {
  it('is created once, with a new key that is returned', async () => {
    const store = await temporaryStore();
    const key = createFirstApplication(store, undefined, NOW);
    expect(findApplication(store, key ?? '')?.permissions).toHaveLength(24);
    expect(createFirstApplication(store, undefined, NOW)).toBeUndefined();
    expect(store.applications.list()).toHaveLength(1);
  });

  it('uses a given key, which is not returned', async () => {
    const store = await temporaryStore();
    expect(createFirstApplication(store, parseServiceKey(' given-key\n'), NOW)).toBeUndefined();
    expect(findApplication(store, 'given-key')?.type).toBe('management');
    expect(createFirstApplication(store, 'given-key', NOW)).toBeUndefined();
    expect(store.applications.list()).toHaveLength(1);
  });
});
