/** docs/session.md and docs/session.svg are the current output of the README's commands. `npm run docs:session` regenerates them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from './helpers/folders.ts';

const ROOT = join(import.meta.dirname, '..');

describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))('the session in docs/', () => {
  it('is the output of the commands in the README, as text and as a picture', () => {
    const folder = folderWith();
    const { status, stderr } = spawnSync(process.execPath, ['docs/session.mjs', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const file of ['session.md', 'session.svg']) {
      expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(ROOT, 'docs', file), 'utf8'));
    }
  });
});
