/** Links of a repository: targets outside of it are neither shown nor sent. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { run } from '../helpers/test-host.ts';

const repositoryWith = (files: Record<string, string>) =>
  folderWith({ '.git/HEAD': '', ...inFolder('card', cardFiles()), ...files });

describe('a link of a repository', () => {
  const CODE = "module.exports = async () => ({ raw: { pin: 'pin:1234 of somebody' } });";

  it.each([
    ['its code', 'card/code.js', 'code.js'],
    ['its manifest', 'card/manifest.json', 'manifest.json'],
    ['a test', 'card/tests/a.json', 'a.json'],
    ['the folder of its tests', 'card/tests', ''],
    ['its code, and a dot file', 'card/code.js', '../.hidden.js'],
  ])('never shows or sends a file outside of it: %s', async (_, file, target) => {
    const outside = folderWith({ 'code.js': CODE, 'manifest.json': '{"pin:1234": 1}', 'a.json': '{"pin:1234": 1}' });
    const root = repositoryWith({ '.hidden.js': CODE });
    rmSync(join(root, file), { force: true, recursive: true });
    mkdirSync(dirname(join(root, file)), { recursive: true });
    symlinkSync(target.startsWith('..') ? target : join(outside, target), join(root, file));
    for (const words of ['validate card', 'create card --dry-run --local --json', 'test card']) {
      const { code, out, err } = await run(['formula', ...words.split(' ')], { cwd: root });
      expect(out + err).not.toContain('pin:1234');
      if (!file.includes('tests')) expect(code).toBe(3);
    }
  });

  it('may point to a file of the repository', async () => {
    const root = repositoryWith({ 'lib/code.js': CODE });
    rmSync(join(root, 'card/code.js'));
    symlinkSync('../lib/code.js', join(root, 'card/code.js'));
    expect(await run(['formula', 'validate', 'card'], { cwd: root })).toMatchObject({ code: 0 });
  });
});
