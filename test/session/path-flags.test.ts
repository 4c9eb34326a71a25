/** Which formula folders PATH, --exclude, and --paths-from select. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { withRedaction } from '../../src/host/host.ts';
import { type PathFlags, selectFolders } from '../../src/session/path-flags.ts';
import { cardFiles, folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const under = (prefix: string, files: Record<string, string | Buffer>) =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${prefix}/${name}`, content]));

const WEB_APP = { 'manifest.json': '{"name":"App","start_url":"/","icons":[]}' };

function project(): string {
  return folderWith({
    ...under('formulas/a', cardFiles({}, { 'tests/x.json': '[]' })),
    ...under('formulas/b-old', cardFiles()),
    ...under('formulas/legacy/c', cardFiles()),
    ...under('formulas/legacy/v2/d', cardFiles()),
    ...under('web', WEB_APP),
    'docs/x': '',
    'README.md': '',
  });
}

/** The folders that are selected, and the notes. */
async function selected(paths: readonly string[], flags: PathFlags, stdin = '', cwd = project()) {
  const notes: string[] = [];
  const host = withRedaction(testHost({ cwd, stdin }).host);
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
    [['formulas/a'], ['formulas/a', 'formulas/b-old', 'formulas/legacy/c', 'formulas/legacy/v2/d']],
    [['**'], []],
  ])('%j is relative to the PATH', async (exclude, folders) => {
    expect(await selected(['formulas'], { exclude })).toMatchObject({ folders, notes: [] });
  });

  it('does not read excluded folders', async () => {
    const cwd = project();
    mkdirSync(join(cwd, 'formulas/closed'), { mode: 0 });
    const { folders } = await selected(['formulas'], { exclude: ['closed', 'legacy'] }, '', cwd);
    chmodSync(join(cwd, 'formulas/closed'), 0o755);
    expect(folders).toHaveLength(2);
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
        'note: skipped README.md: not in a formula folder',
        'note: skipped gone/code.js: no longer exists',
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

  it('must be a file that can be read', async () => {
    await expect(selected([], { pathsFrom: 'nowhere' })).rejects.toThrow('could not read the list of paths nowhere');
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
