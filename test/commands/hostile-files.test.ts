/** Endless or very large files in a repository. The built tool is run, since waiting for a pipe would block the tests. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';

const TOOL = join(import.meta.dirname, '../../bin/formulary.js');

type Spoil = (path: string) => void;

const pipe: Spoil = (path) => execFileSync('mkfifo', [path]);
const endless: Spoil = (path) => symlinkSync('/dev/zero', path);
const large: Spoil = (path) => {
  writeFileSync(path, '');
  truncateSync(path, 600 * 1024 * 1024);
};
const secret: Spoil = (path) => symlinkSync(join(folderWith({ secret: 'pin:1234 of somebody' }), 'secret'), path);

/** A tool with its own user, in a folder with the formula `card`; `code.ts` reads a file next to it. */
function formulary(file: string, spoil: Spoil, words: string) {
  const isBundled = file.startsWith('card/data');
  const { 'code.js': code, ...others } = cardFiles();
  const files = isBundled
    ? { ...others, 'code.ts': `import data from './${file.slice(5)}';\nexport default async () => data;\n` }
    : { ...others, 'code.js': code };
  const cwd = folderWith(inFolder('card', files));
  rmSync(join(cwd, file), { force: true });
  spoil(join(cwd, file));
  const env = {
    PATH: process.env['PATH'] ?? '',
    XDG_STATE_HOME: folderWith(),
    FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db'),
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, 'formula', ...words.split(' ')], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, said: stdout + stderr };
}

describe.runIf(process.platform !== 'win32')('a file of a repository', () => {
  it.each<[string, string, Spoil, string, number, RegExp]>([
    ['a lock that is a pipe', 'formulas.lock.json', pipe, 'diff card --local --target t', 3, /EFTYPE/],
    ['a lock that is a device', 'formulas.lock.json', endless, 'unlink card --target t', 3, /EFTYPE/],
    ['a lock that is large', 'formulas.lock.json', large, 'push card --local --target t', 3, /EFBIG/],
    ['a lock that is a link to a secret', 'formulas.lock.json', secret, 'push card --local --target t', 3, /EXLINK/],
    ['types that are a pipe', 'card/formula.d.ts', pipe, 'types card', 2, /EFTYPE/],
    ['code that is large', 'card/code.js', large, 'validate card', 3, /could not read code.js: .*EFBIG/],
    ['a large manifest', 'card/manifest.json', large, 'validate card', 3, /could not read manifest.json: .*EFBIG/],
    ['an import that is a pipe', 'card/data.json', pipe, 'validate card', 3, /data.json: .*EFTYPE/],
    ['an import that is large', 'card/data.json', large, 'validate card', 3, /data.json: .*EFBIG/],
  ])('does not block a command, and is reported: %s', (_, file, spoil, words, code, message) => {
    const { status, said } = formulary(file, spoil, words);
    expect({ status, said }).toEqual({ status: code, said: expect.stringMatching(message) });
    expect(said).not.toContain('pin:');
  });
});
