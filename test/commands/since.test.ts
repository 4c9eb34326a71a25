import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { commit, git, GIT_PATH as PATH } from '../helpers/git.ts';
import { machine } from '../helpers/machine.ts';
import { run } from '../helpers/test-host.ts';

const TS = "import { mask } from '../lib/mask.ts';\nexport default async () => ({ raw: mask('1') });\n";

/** A repository with two formulas of one file and one that imports a file next to the folders, all committed. */
function repository(files: Record<string, string | Buffer> = {}): string {
  const { 'code.js': _, ...bundled } = cardFiles({ name: 'Bundled' });
  const cwd = folderWith({
    ...inFolder('a', cardFiles({ name: 'A' })),
    ...inFolder('b é', cardFiles({ name: 'B' })),
    ...inFolder('bundled', { ...bundled, 'code.ts': TS }),
    'lib/mask.ts': 'export const mask = (text: string) => text;\n',
    '.gitignore': '*.log\n',
    ...files,
  });
  git(cwd, 'init', '-q', '-b', 'main');
  commit(cwd, 'one');
  return cwd;
}

async function selected(cwd: string, reference = 'HEAD', more: string[] = []) {
  const words = ['formula', 'validate', '--since', reference, '--json', ...more];
  const { code, out, err } = await run(words, { cwd, env: { PATH } });
  return { code, folders: out ? JSON.parse(out).items.map(({ folder }: { folder: string }) => folder) : err };
}

describe('--since', () => {
  it.each<[string, (cwd: string) => void, string[]]>([
    ['nothing where nothing changed', () => undefined, []],
    ['a folder with a changed file', (cwd) => appendFileSync(join(cwd, 'a/code.js'), '//\n'), ['a']],
    ['a folder with an untracked file', (cwd) => writeFileSync(join(cwd, 'b é/icon.txt'), 'x'), ['b é']],
    ['no folder with an ignored file alone', (cwd) => writeFileSync(join(cwd, 'a/x.log'), 'x'), []],
    ['a folder that lost a file', (cwd) => rmSync(join(cwd, 'a/code.js')), ['a']],
    ['a renamed folder', (cwd) => renameSync(join(cwd, 'a'), join(cwd, 'c')), ['c']],
    ['a folder whose bundle changed', (cwd) => appendFileSync(join(cwd, 'lib/mask.ts'), '//\n'), ['bundled']],
    ['no folder for a file that none contains', (cwd) => writeFileSync(join(cwd, 'README.md'), 'x'), []],
    ['no folder for a package file that no bundle needs', (cwd) => writeFileSync(join(cwd, 'package.json'), '{}'), []],
    [
      'staged and committed changes',
      (cwd) => {
        git(cwd, 'tag', 'base');
        appendFileSync(join(cwd, 'a/code.js'), '//\n');
        git(cwd, 'commit', '-qam', 'two');
        appendFileSync(join(cwd, 'b é/code.js'), '//\n');
        git(cwd, 'add', '-A');
      },
      ['a', 'b é'],
    ],
  ])('selects %s', async (_, change, folders) => {
    const cwd = repository();
    const first = git(cwd, 'rev-parse', 'HEAD');
    change(cwd);
    expect((await selected(cwd, first)).folders).toEqual(folders);
  });

  it('selects a folder whose bundled packages may have changed', async () => {
    const { 'code.js': _, ...files } = cardFiles({ name: 'Packaged' });
    const cwd = repository({
      ...inFolder('packaged', {
        ...files,
        'code.mjs': "import f from 'dependency';\nexport default async () => f();\n",
      }),
      'node_modules/dependency/package.json': '{"name":"dependency","version":"1.0.0","main":"index.js"}',
      'node_modules/dependency/index.js': 'module.exports = () => 1;\n',
      'package-lock.json': '{}',
    });
    writeFileSync(join(cwd, 'package-lock.json'), '{"lockfileVersion":3}');
    expect((await selected(cwd)).folders).toEqual(['packaged']);
  });

  it('is accepted by test and edit too', async () => {
    const cwd = repository(inFolder('a', { 'tests/a.json': '{"args":{},"expect":{}}' }));
    appendFileSync(join(cwd, 'a/manifest.json'), '\n');
    const formulary = machine({ cwd, more: { PATH } });
    const edited = await formulary('edit . --since HEAD --set description=New --json');
    expect(JSON.parse(edited.out).items).toMatchObject([{ folder: 'a', outcome: 'edited' }]);
    const tested = await formulary('test --since HEAD --json');
    expect(JSON.parse(tested.out).items).toMatchObject([{ folder: 'a' }]);
    expect(await formulary(['test', 'b é', '--since', 'HEAD'])).toMatchObject({ code: 0 });
  });
});

describe('--since is a usage error', () => {
  const refused = async (cwd: string, reference: string, words: RegExp) => {
    const { code, err } = await run(['formula', 'validate', '--since', reference], { cwd, env: { PATH } });
    expect(code).toBe(2);
    expect(err).toMatch(words);
  };

  it.each([
    ['an unknown reference', 'nope', /no commit "nope"\nhint: To fetch it, run: git -C \S+ fetch --all --tags/],
    ['an id of zeros', '0'.repeat(40), /a new branch has none before it\nhint: Run the command without --since/],
    ['a range', 'HEAD...main', /no commit "HEAD\.\.\.main"\nhint: Pass one commit: --since HEAD\n/],
    ['an option', '--output=x', /no commit "--output=x"/],
    ['an empty one', '', /no commit ""/],
  ])('for %s', (_, reference, words) => refused(repository(), reference, words));

  it('outside a repository', () =>
    refused(folderWith(inFolder('a', cardFiles())), 'HEAD', /is not in a git repository/));

  it('in a repository without commits', () => {
    const cwd = folderWith(inFolder('a', cardFiles()));
    git(cwd, 'init', '-q');
    return refused(cwd, 'HEAD', /has no commits yet\nhint: Run the command without --since\./);
  });
});

describe('a hostile repository', () => {
  it('is rejected if it has a filter that cannot be switched off', async () => {
    const cwd = repository();
    appendFileSync(join(cwd, '.git/config'), '[filter "a=b"]\n clean = cat\n');
    const { code, err } = await run(['formula', 'validate', '--since', 'HEAD'], { cwd, env: { PATH } });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/equals sign in the name, "a=b"\nhint: .* config --get-regexp '\^filter'/),
    ]);
  });

  it('runs no program that a submodule configures', async () => {
    const inner = folderWith({ 'a.js': '1\n', '.gitattributes': '*.js filter=evil\n' });
    git(inner, 'init', '-q');
    commit(inner, 'one');
    const cwd = repository();
    git(cwd, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'sub');
    git(cwd, 'commit', '-q', '-m', 'sub');
    const mark = join(cwd, '.git/ran');
    appendFileSync(join(cwd, '.git/modules/sub/config'), `[filter "evil"]\n clean = touch '${mark}'; cat\n`);
    writeFileSync(join(cwd, 'sub/a.js'), '2\n');
    expect((await selected(cwd)).folders).toEqual([]);
    expect(existsSync(mark)).toBe(false);
  });
});
