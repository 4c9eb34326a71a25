/** How the tool loads itself: from its files, and from what is kept of them compiled. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith } from './helpers/folders.ts';
import { installedTool } from './helpers/installed-tool.ts';

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/** An installed tool of its own, with nothing compiled yet. */
function installed() {
  const folder = installedTool();
  const kept = join(folder, 'dist/compiled');
  const run = (words: string[], env: Record<string, string> = {}) =>
    new Promise<Answer>((done) => {
      const asked = { env: { HOME: folderWith(), ...env } };
      execFile(process.execPath, [join(folder, 'bin/formulary.js'), ...words], asked, (error, stdout, stderr) =>
        done({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  const packs = () => readdirSync(kept).map((name) => join(kept, name));
  return { folder, kept, run, packs };
}

let made: Promise<{ name: string; bytes: Buffer }> | undefined;

/** An installed tool with what two runs of --version keep: made once, since it is good for the same tool in any folder. */
async function installedAndRun() {
  made ??= (async () => {
    const { run, packs } = installed();
    for (const _ of [1, 2]) await run(['--version']);
    const [file = ''] = packs();
    return { name: basename(file), bytes: readFileSync(file) };
  })();
  const { name, bytes } = await made;
  const tool = installed();
  mkdirSync(tool.kept);
  writeFileSync(join(tool.kept, name), bytes);
  return tool;
}

const VERSION = { code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' };

describe('what is kept compiled', () => {
  it('is made by the first two runs of a command, and then all that the command is loaded from', async () => {
    const { folder, run, packs } = installed();
    for (const _ of [1, 2, 3]) expect(await run(['--version'])).toEqual(VERSION);
    expect(packs()).toHaveLength(1);
    // Nothing but the pack is read any more.
    for (const name of readdirSync(join(folder, 'dist')).filter((file) => /^(chunk|cli)-/.test(file)))
      rmSync(join(folder, 'dist', name));
    expect(await run(['--version'])).toEqual(VERSION);
  });

  it('does not change when a command runs again', async () => {
    const { run, packs } = await installedAndRun();
    const before = packs().map((file) => readFileSync(file));
    await run(['--version']);
    expect(packs().map((file) => readFileSync(file))).toEqual(before);
  });

  it('grows by what a command loads only at times', async () => {
    const { run } = installed();
    const formula = folderWith(cardFiles());
    const answers = ['table', 'table', 'json', 'json', 'table', 'json'].map(
      (format) => () => run(['formula', 'validate', formula, '-o', format]),
    );
    const said: Answer[] = [];
    for (const answer of answers) said.push(await answer());
    expect(said.map(({ code, stderr }) => ({ code, stderr }))).toEqual(said.map(() => ({ code: 0, stderr: '' })));
    expect(said.at(-1)?.stdout).toBe(said[2]?.stdout);
  });

  it.each<[string, (pack: string) => void]>([
    ['is cut off', (pack) => truncateSync(pack, 100)],
    ['is empty', (pack) => truncateSync(pack, 0)],
    ['is something else', (pack) => writeFileSync(pack, 'nonsense\n')],
    ['holds the compiled code of other code', (pack) => writeFileSync(pack, changedData(readFileSync(pack)))],
    ['is cut off in the compiled code', (pack) => truncateSync(pack, readFileSync(pack).length - 9)],
    ['has a damaged block in the compiled code', (pack) => writeFileSync(pack, blanked(readFileSync(pack)))],
  ])('is made anew where it %s', async (_, spoil) => {
    const { run, packs } = await installedAndRun();
    packs().forEach(spoil);
    for (const __ of [1, 2, 3]) expect(await run(['--version'])).toEqual(VERSION);
  });

  it('is left out where it cannot be written', async () => {
    const { kept, run } = installed();
    writeFileSync(kept, '');
    for (const _ of [1, 2]) expect(await run(['--version'])).toEqual(VERSION);
  });

  it.skipIf(process.platform !== 'linux')('leaves nothing behind where the disk is full', async () => {
    const { folder, kept, run } = installed();
    // A file that may not grow: the write ends in the middle, as it does on a full disk.
    const words = [process.execPath, join(folder, 'bin/formulary.js'), '--version'];
    const { status } = spawnSync('sh', ['-c', 'trap "" XFSZ; ulimit -f 8; exec "$@"', 'sh', ...words]);
    expect({ status, kept: readdirSync(kept) }).toEqual({ status: 0, kept: [] });
    expect(await run(['--version'])).toEqual(VERSION);
  });

  it('is left out where Node.js is told so', async () => {
    const { folder, run } = installed();
    expect(await run(['--version'], { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(VERSION);
    expect(readdirSync(join(folder, 'dist'))).not.toContain('compiled');
  });

  it('is not made of a command line that failed', async () => {
    const { folder, run } = installed();
    expect(await run(['formula', 'no-such-command'])).toMatchObject({ code: 2 });
    expect(readdirSync(join(folder, 'dist'))).not.toContain('compiled');
  });
});

/** Where what V8 made begins in a pack; it stands there twice. */
const dataOf = (pack: Buffer): number => {
  const start = pack.indexOf('\n') + 1;
  return start + Number(pack.toString('latin1', 0, start));
};

/** The pack with zeros in the middle of what V8 made, as a disk leaves them that lost its power. */
function blanked(pack: Buffer): Buffer {
  const data = dataOf(pack);
  const middle = data + Math.floor((pack.length - data) / 4);
  return pack.fill(0, middle, middle + 4096);
}

/** The pack with the version in the head of its compiled code changed, as another V8 would write it. */
function changedData(pack: Buffer): Buffer {
  const data = dataOf(pack);
  const half = (pack.length - data) / 2;
  for (const head of [data, data + half]) pack.writeUInt32LE(~pack.readUInt32LE(head + 4) >>> 0, head + 4);
  return pack;
}
