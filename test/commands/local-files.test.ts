/** Errors of the file system exit with 2, the file, the reason, and a hint; and files that are not regular. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { exitsWith, expectExit, run, testHost } from '../helpers/test-host.ts';

const LONG = 'n'.repeat(300);

/** A folder with the formula `card`, a file, and two links in a circle. */
function place(): string {
  const cwd = folderWith({ ...inFolder('card', cardFiles()), file: 'mine' });
  symlinkSync('two', join(cwd, 'one'));
  symlinkSync('one', join(cwd, 'two'));
  symlinkSync('nowhere', join(cwd, 'lost'));
  return cwd;
}

describe('a local path that cannot be used', () => {
  it.each<[string[], string]>([
    [['init', '--name', 'x', LONG], 'the name is too long (ENAMETOOLONG)'],
    [['init', 'one'], 'too many symbolic links (ELOOP)'],
    [['init', 'one/x'], 'too many symbolic links (ELOOP)'],
    [['init', 'file/x'], 'not a folder (ENOTDIR)'],
    [['init', 'lost'], 'is a broken symbolic link'],
    [['validate', LONG], 'the name is too long (ENAMETOOLONG)'],
    [['validate', 'one'], 'too many symbolic links (ELOOP)'],
    [['validate', 'file/x'], 'not a folder (ENOTDIR)'],
    [['validate', 'card', '--report', `junit=${LONG}`], 'the name is too long (ENAMETOOLONG)'],
    [['validate', 'card', '--report', 'junit=one'], 'it is a symbolic link'],
    [['validate', 'card', '--report', 'junit=file/x'], 'not a folder (ENOTDIR)'],
    [['validate', 'card', '--report', 'junit=lost'], 'it is a symbolic link'],
    [['validate', 'card', '--report', 'junit=card'], 'a folder'],
  ])('is reported with the reason and a hint: %j', async (words, reason) => {
    const cwd = place();
    const names = readdirSync(cwd);
    const { code, out, err } = await run(['formula', ...words], { cwd });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(reason);
    expect(err).toContain((words[3] ?? words[1] ?? '').replace('junit=', '').slice(0, 20));
    expect(err).toContain('\nhint: ');
    expect(readdirSync(cwd)).toEqual(names);
  });

  it.each(['init x', 'validate .', 'validate / --report junit=x'])(
    'is a working folder that no longer exists: %s',
    async (words) => {
      const { host, texts } = testHost({});
      const cwd = () => {
        throw Object.assign(new Error('ENOENT: uv_cwd'), { code: 'ENOENT', syscall: 'uv_cwd' });
      };
      expect(await main(['formula', ...words.split(' ')], { ...host, cwd })).toBe(2);
      const err = 'error: the current folder no longer exists\nhint: Change to another folder.\n';
      expect(texts).toEqual({ out: '', err });
    },
  );
});

describe('a report', () => {
  const reported = async (cwd: string, file: string) =>
    run(['formula', 'validate', 'card', '--report', `junit=${file}`], { cwd });

  it('is written to standard output or error by their names', async () => {
    const cwd = place();
    const { code, out } = await reported(cwd, '/dev/stdout');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^<\?xml .*<\/testsuites>\ncard: valid\n$/s) });
    expect((await reported(cwd, '/dev/stderr')).err).toMatch(/^<\?xml /);
  });

  it.runIf(existsSync('/dev/null'))('is written into a device, which is not replaced', async () => {
    expectExit(await reported(place(), '/dev/null'), 0, '');
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.runIf(existsSync('/dev/full'))('reports a full disk', async () => {
    expect(await reported(place(), '/dev/full')).toMatchObject(
      exitsWith(2, /could not write the report \/dev\/full: the disk is full \(ENOSPC\)\nhint: Free up space/),
    );
  });

  it('replaces a file, and preserves its mode', async () => {
    const cwd = place();
    chmodSync(join(cwd, 'file'), 0o640);
    const { mode } = statSync(join(cwd, 'file'));
    expectExit(await reported(cwd, 'file'), 0, '');
    expect(readFileSync(join(cwd, 'file'), 'utf8')).toMatch(/^<\?xml /);
    expect(statSync(join(cwd, 'file')).mode).toBe(mode);
  });

  it('creates missing parent folders', async () => {
    const cwd = place();
    expectExit(await reported(cwd, 'no/such/folder/x.xml'), 0, '');
    expect(readFileSync(join(cwd, 'no/such/folder/x.xml'), 'utf8')).toMatch(/^<\?xml /);
  });

  it.runIf(process.platform !== 'win32')('is written into a pipe with a reader, and rejected without one', async () => {
    const cwd = place();
    const pipe = join(cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expectExit(await reported(cwd, 'pipe'), 2, 'no process is reading', '');
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    expectExit(await reported(cwd, 'pipe'), 0, '');
    const bytes = Buffer.alloc(10_000);
    expect(bytes.toString('utf8', 0, readSync(reader, bytes))).toMatch(/^<\?xml /);
    closeSync(reader);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });
});
