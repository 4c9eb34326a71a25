import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCleanCache, saveCleanCache } from '../../src/check/clean-cache.ts';
import { withRedaction } from '../../src/host/host.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const hostWith = (state: string, facts: { nodeVersion?: string } = {}) =>
  withRedaction({ ...testHost({ env: { XDG_STATE_HOME: state } }).host, ...facts });

describe('the cache of clean folders', () => {
  it('is read by the next run, which adds its own', () => {
    const host = hostWith(folderWith());
    expect([...readCleanCache(host)]).toEqual([]);
    saveCleanCache(host, ['a', 'b', 'a']);
    saveCleanCache(host, ['b', 'c']);
    expect([...readCleanCache(host)]).toEqual(['a', 'b', 'c']);
  });

  it('is readable by this user only, and written only if a folder is new', () => {
    const state = folderWith();
    const file = join(state, 'formulary/checked.json');
    saveCleanCache(hostWith(state), ['a']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { ino } = statSync(file);
    saveCleanCache(hostWith(state), ['a']);
    expect(statSync(file).ino).toBe(ino);
  });

  it('does not apply to another Node.js or another build', () => {
    const state = folderWith();
    saveCleanCache(hostWith(state), ['a']);
    expect(readCleanCache(hostWith(state, { nodeVersion: 'v99.0.0' })).size).toBe(0);
    const file = join(state, 'formulary/checked.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"0.0.0-test ', '"0.0.1 '));
    expect(readCleanCache(hostWith(state)).size).toBe(0);
  });

  it.each(['', '{', 'null', '[]', '{"by":1}', '{"hashes":["a"]}'])('is empty if the file is damaged: %s', (text) => {
    const state = folderWith({ 'formulary/checked.json': text });
    expect(readCleanCache(hostWith(state)).size).toBe(0);
    saveCleanCache(hostWith(state), ['b']);
    expect([...readCleanCache(hostWith(state))]).toEqual(['b']);
  });

  it('has at most 20,000 entries, and drops the oldest first', () => {
    const host = hostWith(folderWith());
    saveCleanCache(
      host,
      Array.from({ length: 20_000 }, (_, i) => `old ${i}`),
    );
    saveCleanCache(host, ['new']);
    const known = readCleanCache(host);
    expect([known.size, known.has('new'), known.has('old 0'), known.has('old 1')]).toEqual([20_000, true, false, true]);
  });

  it('is not used if it cannot be written', () => {
    const blocked = hostWith(join(folderWith({ file: '' }), 'file'));
    saveCleanCache(blocked, ['a']);
    expect(readCleanCache(blocked).size).toBe(0);
  });
});
