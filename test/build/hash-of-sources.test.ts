/** What a build is named by. */
import { describe, expect, it } from 'vitest';
import { hashOfSources } from '../../src/build/hash-of-sources.mjs';
import { folderWith } from '../helpers/folders.ts';

const FILES = {
  'package-lock.json': '{}',
  'src/cli.ts': '1',
  'src/build/load.cjs': '1',
  'src/build/build.mjs': '1',
  'src/code/node16/missing.json': '{}',
};
const named = (more: Record<string, string>) => hashOfSources(folderWith({ ...FILES, ...more }));

describe('the hash of the sources', () => {
  it('is the same in any folder', () => {
    expect(named({})).toBe(named({}));
    expect(named({})).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each(Object.keys(FILES))('differs if %s differs', (file) => {
    expect(named({ [file]: 'changed' })).not.toBe(named({}));
  });

  it('differs if a file is added', () => {
    expect(named({ 'src/more.json': '' })).not.toBe(named({}));
  });

  it('does not depend on the output of a build', () => {
    expect(named({ 'src/generated/dist-files.json': '{}' })).toBe(named({}));
  });
});
