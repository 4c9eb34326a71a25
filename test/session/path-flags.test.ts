import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { withRedaction } from '../../src/host/host.ts';
import { main } from '../../src/main.ts';
import { type PathFlags, selectFolders } from '../../src/session/path-flags.ts';
import { formatTargetFlags } from '../../src/session/target-flags.ts';
import type { ServiceFlags } from '../../src/settings/resolve-target.ts';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { commit, GIT_PATH, git } from '../helpers/git.ts';
import { testHost } from '../helpers/test-host.ts';

const WEB_APP = { 'manifest.json': '{"name":"App","start_url":"/","icons":[]}' };

function project(): string {
  return folderWith({
    ...inFolder('formulas/a', cardFiles({}, { 'tests/x.json': '[]' })),
    ...inFolder('formulas/b-old', cardFiles()),
    ...inFolder('formulas/legacy/c', cardFiles()),
    ...inFolder('formulas/legacy/v2/d', cardFiles()),
    ...inFolder('web', WEB_APP),
    'docs/x': '',
    'README.md': '',
  });
}

/** The folders that are selected, and the notes. */
async function selected(paths: readonly string[], flags: PathFlags, stdin: string | Buffer = '', cwd = project()) {
  const notes: string[] = [];
  const host = withRedaction(testHost({ cwd, stdin, env: { PATH: GIT_PATH } }).host);
  const selection = await selectFolders(paths, flags, { host, note: (text) => notes.push(text) });
  return {
    folders: selection.folders.map(({ displayPath }) => displayPath),
    notes,
    isEmptyList: selection.isEmptyList,
  };
}

describe('--exclude', () => {
  it.each<[string[], string[]]>([
    [['legacy'], ['formulas/a', 'formulas/b-old']],
    [['*-old'], ['formulas/a', 'formulas/legacy/c', 'formulas/legacy/v2/d']],
    [
      ['legacy/v*', 'a'],
      ['formulas/b-old', 'formulas/legacy/c'],
    ],
    [['formulas/a'], ['formulas/b-old', 'formulas/legacy/c', 'formulas/legacy/v2/d']],
    [['./formulas/legacy/v2/**'], ['formulas/a', 'formulas/b-old', 'formulas/legacy/c']],
    [
      ['legacy', 'legacy/v2'],
      ['formulas/a', 'formulas/b-old'],
    ],
    [['**'], []],
    [['formulas'], []],
  ])('%j is relative to the PATH or to the current folder', async (exclude, folders) => {
    expect(await selected(['formulas'], { exclude })).toMatchObject({ folders, notes: [] });
  });

  it('does not read excluded folders', async () => {
    const cwd = project();
    mkdirSync(join(cwd, 'formulas/closed'), { mode: 0 });
    const { folders } = await selected(['formulas'], { exclude: ['closed', 'legacy'] }, '', cwd);
    chmodSync(join(cwd, 'formulas/closed'), 0o755);
    expect(folders).toHaveLength(2);
  });

  it.each(['formulas/leagcy', '/formulas/legacy', 'x/**'])('warns about %s, which matches no folder', async (glob) => {
    const { folders, notes } = await selected(['formulas'], { exclude: [glob, 'legacy'] });
    expect(folders).toEqual(['formulas/a', 'formulas/b-old']);
    expect(notes).toEqual([`warning: --exclude ${glob} matches no folder in formulas`]);
  });

  it('does not warn about a pattern that matches no path of a list', async () => {
    expect(await selected([], { pathsFrom: '-', exclude: ['formulas/legacy', 'draft'] }, 'formulas/a')).toMatchObject({
      folders: ['formulas/a'],
      notes: ['warning: --exclude draft matches no folder in the current folder'],
    });
  });

  it('must be a pattern', async () => {
    await expect(selected(['formulas'], { exclude: [''] })).rejects.toThrow('invalid value "" for --exclude');
  });
});

describe('--paths-from', () => {
  it.each<[string, string]>([
    ['one per line', 'formulas/a/code.js\nformulas/legacy/c\n'],
    ['with CR LF', 'formulas/a/manifest.json\r\nformulas/legacy/c/code.js\r\n'],
    ['NUL-separated', 'formulas/a/tests/x.json\0formulas/legacy/c/code.js\0'],
  ])('reads paths %s, of folders and of files in them', async (_, stdin) => {
    const folders = ['formulas/a', 'formulas/legacy/c'];
    expect(await selected([], { pathsFrom: '-' }, stdin)).toEqual({ folders, notes: [], isEmptyList: false });
  });

  it('skips files in no formula, and missing files, with a note', async () => {
    const stdin = 'README.md\ngone/code.js\ndocs\nweb/manifest.json\nformulas/a/code.js\n';
    expect(await selected([], { pathsFrom: '-' }, stdin)).toMatchObject({
      folders: ['formulas/a'],
      notes: [
        'note: skipped gone/code.js: no longer exists',
        'note: skipped README.md: not in a formula folder',
        'note: skipped web/manifest.json: not in a formula folder',
        'note: skipped docs: not in a formula folder',
      ],
    });
  });

  it('is an empty list if the file is empty', async () => {
    expect(await selected([], { pathsFrom: '-' }, '\n')).toEqual({ folders: [], notes: [], isEmptyList: true });
  });

  it('adds to the PATHs, reads a file, and is subject to --exclude from the current folder', async () => {
    const cwd = project();
    const list = join(folderWith({ list: 'formulas/legacy/c/code.js\nformulas/b-old/code.js\n' }), 'list');
    const { folders } = await selected(['formulas/a'], { pathsFrom: list, exclude: ['formulas/legacy'] }, '', cwd);
    expect(folders).toEqual(['formulas/a', 'formulas/b-old']);
  });

  it('must be a file that can be read, or a pipe', async () => {
    await expect(selected([], { pathsFrom: 'nowhere' })).rejects.toThrow('could not read the list of paths nowhere');
    await expect(selected([], { pathsFrom: '.' })).rejects.toThrow('it is a folder (EISDIR)');
    await expect(selected([], { pathsFrom: '/dev/zero' })).rejects.toThrow('it is a pipe, socket, or device (EFTYPE)');
  });

  const utf16 = (text: string, isBigEndian = false) => {
    const bytes = Buffer.from(text, 'utf16le');
    return isBigEndian ? bytes.swap16() : bytes;
  };
  it.each<[string, Buffer]>([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffformulas/v.2\r\nformulas/a\n')],
    ['UTF-16 as of PowerShell 5.1', utf16('\ufeffformulas/v.2\r\nformulas/a\r\n')],
    ['UTF-16 without a byte order mark', utf16('formulas/v.2\nformulas/a')],
    ['big-endian UTF-16', utf16('\ufeffformulas/v.2\nformulas/a', true)],
    ['big-endian UTF-16 without a byte order mark', utf16('formulas/v.2\nformulas/a', true)],
    ['UTF-8, NUL-separated', Buffer.from('formulas/v.2\0formulas/a')],
  ])('may be %s', async (_, bytes) => {
    const cwd = folderWith({ ...inFolder('formulas/v.2', cardFiles()), ...inFolder('formulas/a', cardFiles()) });
    const { folders, notes } = await selected([], { pathsFrom: '-' }, bytes, cwd);
    expect([folders, notes]).toEqual([['formulas/v.2', 'formulas/a'], []]);
  });

  it('may have names as git quotes them', async () => {
    const cwd = folderWith({
      ...inFolder('prüfen', cardFiles()),
      ...inFolder('a"b', cardFiles()),
      ...inFolder('"c"', cardFiles()),
    });
    const list = '"pr\\303\\274fen/manifest.json"\n"a\\"b/code.js"\n"c"\n';
    const { folders } = await selected([], { pathsFrom: '-' }, list, cwd);
    expect(folders).toEqual(['prüfen', 'a"b', '"c"']);
  });

  it.each(['/', '../..', '../elsewhere', '../../../../../../..'])(
    'must not have %s, outside of the repository',
    async (line) => {
      await expect(selected([], { pathsFrom: '-' }, `formulas/a\n${line}\n`)).rejects.toThrow(
        `--paths-from: "${line}" is not in the repository`,
      );
    },
  );

  it('is relative to the top of the git repository, where more of its paths exist', async () => {
    const top = project();
    git(top, 'init', '-q');
    const list = 'formulas/a/code.js\nformulas/legacy/c/code.js\ngone\n';
    expect(await selected([], { pathsFrom: '-' }, list, join(top, 'formulas/legacy'))).toMatchObject({
      folders: ['../a', 'c'],
      notes: ['note: skipped gone: no longer exists'],
    });
  });

  it('must have a path that git knows', async () => {
    const top = project();
    git(top, 'init', '-q');
    commit(top, 'formulas');
    git(top, 'rm', '-rqf', 'formulas/a');
    commit(top, 'without a');
    expect(await selected([], { pathsFrom: '-' }, 'formulas/a/code.js', top)).toMatchObject({ folders: [] });
    await expect(selected([], { pathsFrom: '-' }, 'formulae/a/code.js', top)).rejects.toThrow(
      'none of the paths exists, here or in any commit',
    );
  });

  it('is read before the command handles signals, so that Ctrl-C ends the wait for a pipe', async () => {
    const events: string[] = [];
    const { host } = testHost({ cwd: project() });
    const recording = {
      ...host,
      readStdin: async () => {
        events.push('read');
        return Buffer.from('');
      },
      installSignalHandlers: () => events.push('signals') > 0,
    };
    await main(['formula', 'push', '--paths-from', '-', '--local'], recording);
    await main(['formula', 'test', '--paths-from', '-'], recording);
    expect(events.filter((event, i) => event !== events[i - 1])).toEqual(['read', 'signals', 'read', 'signals']);
  });

  it('selects each folder of thousands of files once', async () => {
    const list = 'formulas/a/code.js\n'.repeat(4000);
    expect((await selected([], { pathsFrom: '-' }, list)).folders).toEqual(['formulas/a']);
  });
});

describe('a PATH', () => {
  it('selects the formula of a file; a file in none is skipped with a note', async () => {
    expect(await selected(['formulas/a/code.js', 'README.md'], {})).toEqual({
      folders: ['formulas/a'],
      notes: ['note: skipped README.md: not in a formula folder'],
      isEmptyList: false,
    });
  });

  it('skips the manifest of a web app with a note', async () => {
    expect(await selected(['.'], { exclude: ['formulas/legacy'] })).toMatchObject({
      folders: ['formulas/a', 'formulas/b-old'],
      notes: ['note: skipped web/manifest.json: not the manifest of a formula'],
    });
  });

  it('does not select git repositories and ignored folders in it, with a note', async () => {
    const cwd = project();
    git(cwd, 'init', '-q');
    writeFileSync(join(cwd, '.gitignore'), 'legacy\n');
    git(cwd, 'add', '-f', 'formulas/legacy/c');
    mkdirSync(join(cwd, 'formulas/b-old/.git'));
    const folders = ['formulas/a', 'formulas/legacy/c'];
    const notes = [
      'note: skipped formulas/b-old: a git repository of its own',
      'note: skipped formulas/legacy/v2/d: git ignores it',
    ];
    expect(await selected(['formulas'], {}, '', cwd)).toMatchObject({ folders, notes });
    const named = ['formulas/b-old', 'formulas/legacy/v2'];
    expect(await selected(named, {}, '', cwd)).toMatchObject({
      folders: ['formulas/b-old', 'formulas/legacy/v2/d'],
      notes: [],
    });
  });

  it('must not be the root folder', async () => {
    await expect(selected(['/'], {})).rejects.toThrow('/ is the root folder');
  });

  it('is required, must exist, and must contain a formula', async () => {
    for (const [paths, message] of [
      [['nowhere'], 'nowhere'],
      [['web/..', 'README'], 'README'],
      [[], "missing required argument 'path'"],
    ] as const) {
      const error = await selected(paths, {}).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(CliError);
      expect(error).toMatchObject({ outcome: 'usage', message: expect.stringContaining(message) });
    }
  });
});

describe('the flags that select the same service', () => {
  it.each<[ServiceFlags, string]>([
    [{}, ''],
    [{ local: true }, ' --local'],
    [{ profile: 'prod' }, ' --profile prod'],
    [{ baseUrl: 'http://x.test:80/v1', insecureHttp: true }, ' --base-url http://x.test:80/v1 --insecure-http'],
    [{ profile: 'prod', baseUrl: "https://x.test/a b'c" }, " --profile prod --base-url 'https://x.test/a b'\\''c'"],
    [{ apiKeyFile: 'my key.txt', apiKeyHeader: 'X-Key' }, " --api-key-file 'my key.txt' --api-key-header X-Key"],
    [{ local: true, target: 'staging' }, ' --local --target staging'],
    [{ caFile: 'ca.pem' }, ' --ca-file ca.pem'],
    [{ apiKeyStdin: true, timeout: '3' }, ''],
    // Pipes, which were read.
    [{ apiKeyFile: '/dev/fd/63', caFile: '/proc/self/fd/3', profile: 'a' }, ' --profile a'],
  ])('of %j are "%s"', (flags, words) => {
    expect(formatTargetFlags(flags, 'linux')).toBe(words);
  });
});
