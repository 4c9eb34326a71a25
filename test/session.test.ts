/** The session of the README and its picture are what the built tool answers now. `npm run docs:session` makes them anew. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from './helpers/folders.ts';

const ROOT = join(import.meta.dirname, '..');

describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))('the session of the README', () => {
  it('is what the commands print, as text and as a picture', () => {
    const folder = folderWith();
    const { status, stderr } = spawnSync(process.execPath, ['docs/session.mjs', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(readFileSync(join(ROOT, 'README.md'), 'utf8'));
    expect(readFileSync(join(folder, 'session.svg'), 'utf8')).toBe(
      readFileSync(join(ROOT, 'docs/session.svg'), 'utf8'),
    );
  });
});
