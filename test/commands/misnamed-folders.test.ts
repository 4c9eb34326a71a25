/** Names that are not UTF-8, which no text can contain: of a folder, and of files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { exitsWith, expectExit, run } from '../helpers/test-host.ts';

/** The path of a name with the byte 0xff in it. */
const misnamed = (folder: string, before: string, after = '') =>
  Buffer.concat([Buffer.from(`${folder}/${before}`), Buffer.from([0xff]), Buffer.from(after)]);

/** A formula `card`, and one in a folder `b\xff/sub`. */
function formulas(): { cwd: string; env: Record<string, string> } {
  const cwd = folderWith(inFolder('card', cardFiles()));
  // What Node.js removes by names as text would stay.
  onTestFinished(() => void execFileSync('rm', ['-rf', cwd]));
  mkdirSync(misnamed(cwd, 'b'));
  mkdirSync(misnamed(cwd, 'b', '/sub'));
  for (const [name, text] of Object.entries(cardFiles({ name: 'Other' })))
    writeFileSync(misnamed(cwd, 'b', `/sub/${name}`), text);
  mkdirSync(misnamed(cwd, 'no formula'));
  return { cwd, env: { XDG_STATE_HOME: folderWith(), FORMULARY_LOCAL_DATA: join(folderWith(), 'local.db') } };
}

const SHOWN = 'b\\xff/sub';
const REASON = `the path of the folder must be UTF-8 (got ${SHOWN})`;

// macOS rejects these names, and Windows has others.
describe.runIf(process.platform === 'linux')('a name that is not UTF-8', () => {
  it('makes only its folder invalid', async () => {
    const { code, out } = await run(['formula', 'validate', '.', '--json'], formulas());
    expect(code).toBe(3);
    const { items, summary } = JSON.parse(out);
    expect(items).toMatchObject([
      { folder: 'card', outcome: 'valid', findings: [] },
      { folder: SHOWN, name: null, outcome: 'invalid', findings: [{ rule: 'encoding', message: REASON }] },
    ]);
    expect(summary).toEqual({ total: 2, valid: 1, invalid: 1 });
  });

  it.each([
    ['push', ['push', '.', '--local', '--target', 't']],
    ['push --dry-run', ['push', '.', '--local', '--dry-run']],
    ['diff', ['diff', '.', '--local']],
    ['test', ['test', '.', '--node', process.execPath]],
  ])('is the reason why %s rejects its folder', async (_, words) => {
    const { code, err } = await run(['formula', ...words], formulas());
    expectExit({ code, err }, 3, REASON);
    expect(err).not.toContain('ENOENT');
  });

  it('does not stop pull, which writes next to it', async () => {
    const hostOptions = formulas();
    expect(await run(['formula', 'create', 'card', '--local'], hostOptions)).toMatchObject({ code: 0 });
    expect(await run(['formula', 'pull', '--local', '--dir', '.'], hostOptions)).toMatchObject({ code: 0 });
  });

  it.each([
    ['validate', `b\ufffd/sub`],
    ['types', 'b\ufffd'],
    ['create', 'b\ufffd/sub'],
  ])('is reported as an argument of %s', async (command, path) => {
    const words = ['formula', command, path, ...(command === 'create' ? ['--local'] : [])];
    expect(await run(words, formulas())).toMatchObject({
      code: 2,
      err: `error: the path ${path} must be UTF-8\nhint: Rename the folder.\n`,
    });
  });

  it('is reported for the current folder', async () => {
    const { cwd } = formulas();
    const hostOptions = { cwd: join(cwd, 'b\ufffd/sub') };
    expectExit(await run(['formula', 'validate', '.'], hostOptions), 2, 'the path of the current folder must be UTF-8');
  });

  it('does not matter for other files', async () => {
    const { cwd } = formulas();
    mkdirSync(join(cwd, 'card/tests'));
    for (const name of ['card/icon', 'card/code', 'card/tests/notes']) writeFileSync(misnamed(cwd, name, '.txt'), '');
    expectExit(await run(['formula', 'validate', 'card'], { cwd }), 0, '');
    writeFileSync(misnamed(cwd, 'card/tests/a', '.json'), '{}');
    expect(await run(['formula', 'test', 'card', '--node', process.execPath], { cwd })).toMatchObject(
      exitsWith(3, 'the name of the file must be UTF-8'),
    );
  });

  it('may be a replacement character', async () => {
    const cwd = folderWith(inFolder('a\ufffd', cardFiles()));
    expect(await run(['formula', 'validate', '.'], { cwd })).toMatchObject({ code: 0, out: 'a\ufffd: valid\n' });
  });
});
