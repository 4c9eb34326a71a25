/** The folder that code runs in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkFolder } from '../../src/run/child-process.ts';
import { folderWith } from '../helpers/folders.ts';

describe('a linked folder', () => {
  it('has the files of the other', () => {
    const root = folderWith({ 'packages/a.js': 'text' });
    linkFolder(join(root, 'packages'), join(root, 'link'));
    expect(readFileSync(join(root, 'link/a.js'), 'utf8')).toBe('text');
  });

  it('is a symbolic link if Windows cannot create a junction, for example to a network drive', () => {
    const tried: unknown[] = [];
    linkFolder('\\\\server\\share\\node_modules', 'C:\\temp\\node_modules', (_target, _path, type) => {
      tried.push(type);
      if (type === 'junction') throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
    });
    expect(tried).toEqual(['junction', 'dir']);
  });

  it('fails with the error of the file system', () => {
    expect(() => linkFolder('a', join(folderWith(), 'gone/link'))).toThrow('ENOENT');
  });
});
