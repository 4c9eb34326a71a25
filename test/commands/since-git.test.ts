/** The content of REF for push and diff, in repositories of every kind: read by git, which runs nothing of them. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CARD_CODE, cardFiles, folderWith, inFolder } from '../helpers/folders.ts';
import { commit, git, GIT_PATH as PATH, plantPrograms } from '../helpers/git.ts';
import { machine } from '../helpers/machine.ts';
import { publishedRepository } from '../helpers/published-repository.ts';

const EDITED = `${CARD_CODE}// mine\n`;

/** A repository whose formula is published, and a function that compares a folder with its first commit. */
async function published(files: Record<string, string | Buffer> = {}, folder = 'card') {
  const { cwd, data } = await publishedRepository({ ...inFolder(folder, cardFiles({ name: 'Card' })), ...files });
  const first = git(cwd, 'rev-parse', 'HEAD');
  const clone = (...options: string[]) => {
    const into = join(folderWith(), 'clone');
    git(cwd, 'clone', '-q', ...options, pathToFileURL(cwd).href, into);
    return into;
  };
  const diff = async (place: string, path = PATH, reference = first) => {
    const more = { FORMULARY_TARGET: 'test', PATH: path };
    const { code, out, err } = await machine({ cwd: place, data, more })(`diff . --since ${reference} --json`);
    const items: Record<string, unknown>[] = JSON.parse(out || '{}').items ?? [];
    return { code, steps: items.map(({ action, overwrites }) => [action, overwrites === true]), err };
  };
  return { cwd, first, clone, diff };
}

const PLAIN = { code: 10, steps: [['update', false]], err: '' };

const edit = (place: string, text = EDITED, folder = 'card') => writeFileSync(join(place, folder, 'code.js'), text);

/** A folder with a program `git` that runs these lines, and then git. */
function wrapGit(...lines: string[]): string {
  const bin = folderWith({ git: `#!/bin/sh\n${lines.join('\n')}\nPATH='${PATH}' exec git "$@"\n` });
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

describe('the version of REF is found', () => {
  it.each<[string, string, (place: string) => void]>([
    ['in a folder with quotes, spaces, and other letters', 'for mulas/"é\\*', () => undefined],
    ['at the top of the repository', '.', () => undefined],
    ['where git quotes names', 'ü', (place) => git(place, 'config', 'core.quotePath', 'true')],
    ['in a detached HEAD', 'card', (place) => git(place, 'checkout', '-q', '--detach')],
    ['where the change is staged', 'card', (place) => git(place, 'add', '-A')],
    [
      'after a merge commit',
      'card',
      (place) => {
        commit(place, 'mine');
        git(place, 'checkout', '-q', '-b', 'topic', 'HEAD~1');
        writeFileSync(join(place, 'README.md'), 'x');
        commit(place, 'topic');
        git(place, 'merge', '-q', '--no-ff', '-m', 'merge', 'main');
      },
    ],
  ])('%s', async (_, folder, change) => {
    const { cwd, diff } = await published({}, folder);
    edit(cwd, EDITED, folder);
    change(cwd);
    expect(await diff(cwd)).toEqual(PLAIN);
  });

  it('in a worktree, and in a clone whose depth is enough', async () => {
    const { cwd, clone, diff } = await published();
    edit(cwd);
    commit(cwd, 'mine');
    const worktree = join(folderWith(), 'tree');
    git(cwd, 'worktree', 'add', '-q', worktree);
    expect(await diff(worktree)).toEqual(PLAIN);
    expect(await diff(clone('--depth', '2'))).toEqual(PLAIN);
  });

  it('where git converts line endings', async () => {
    const { cwd, clone, diff } = await published({ '.gitattributes': '*.js text eol=lf\n' });
    writeFileSync(join(cwd, '.gitattributes'), '*.js text eol=crlf\n');
    commit(cwd, 'attributes');
    const place = clone();
    expect(readFileSync(join(place, 'card/code.js'), 'utf8')).toContain('\r\n');
    // Every line differs in the working tree, but not for git.
    expect(await diff(place)).toMatchObject({ code: 0, steps: [] });
    edit(place, EDITED.replaceAll('\n', '\r\n'));
    expect(await diff(place)).toEqual(PLAIN);
  });
});

describe('a repository that does not have the version of REF is an error', () => {
  const refused = (words: RegExp) => ({ code: 2, err: expect.stringMatching(words) });

  it('in a shallow clone', async () => {
    const { cwd, clone, diff } = await published();
    edit(cwd);
    commit(cwd, 'mine');
    expect(await diff(clone('--depth', '1'))).toMatchObject(
      refused(/is shallow and does not reach .*--unshallow.*In GitHub Actions, set fetch-depth: 0/),
    );
  });

  it('in a partial clone, with the command that fetches it', async () => {
    const { cwd, first, clone, diff } = await published({
      'more/manifest.json': cardFiles({ name: 'More' })['manifest.json'] ?? '',
      'more/code.js': `${CARD_CODE}// more\n`,
    });
    edit(cwd);
    commit(cwd, 'mine');
    const place = clone('--filter=blob:none');
    const { code, err } = await diff(place);
    expect([code, err]).toEqual([2, expect.stringContaining('this partial clone does not have it')]);
    const [, command = ''] = /git -C \S+ (.*)$/m.exec(JSON.parse(err).error.hint) ?? [];
    git(place, ...command.split(' '));
    expect(await diff(place)).toEqual(PLAIN);
    // The lock file of REF is needed for the ids of removed folders.
    git(cwd, 'rm', '-q', '-r', 'card', 'formulas.lock.json');
    writeFileSync(join(cwd, 'README.md'), '');
    commit(cwd, 'removed');
    const other = clone('--filter=blob:none');
    const prune = machine({ cwd: other, more: { FORMULARY_TARGET: 'test', PATH } });
    expect(await prune(`diff . --prune --since ${first}`)).toMatchObject(refused(/this partial clone/));
  });

  it('in a submodule', async () => {
    const { cwd, diff } = await published();
    const outer = folderWith({ 'README.md': '' });
    git(outer, 'init', '-q');
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', cwd, 'sub');
    expect(await diff(join(outer, 'sub'))).toMatchObject(
      refused(/is a git submodule.*Run the command without --since/),
    );
  });

  it('where it belongs to another user', async () => {
    const { cwd, diff } = await published();
    const bin = wrapGit('export GIT_TEST_ASSUME_DIFFERENT_OWNER=1');
    expect(await diff(cwd, bin)).toMatchObject(refused(/another user owns it.*safe\.directory/));
  });
});

describe('git', () => {
  /** Those that git 2.25 has. */
  const OPTIONS = [
    ...['-C', '-c', '--work-tree=.', '--no-pager', '--literal-pathspecs'],
    ...['-z', '-m', '--', '--stdin', '--batch', '--batch-check', '--verify', '--quiet'],
    ...['--is-shallow-repository', '--show-superproject-working-tree', '--name-only', '--get-regexp'],
    ...['--raw', '--no-abbrev', '--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'],
    ...['--others', '--exclude-standard', '--full-name', '--no-show-signature', '--format=%x01%H'],
  ];

  it('gets only options that version 2.25 has', async () => {
    const { cwd, diff } = await published({
      'ts/manifest.json': cardFiles({ name: 'TS' })['manifest.json'] ?? '',
      'ts/code.ts': "export default async () => ({ raw: '1' });\n",
    });
    edit(cwd, CARD_CODE.replace('async', 'async /* two */'));
    commit(cwd, 'two');
    writeFileSync(join(cwd, 'ts/code.ts'), "export default async () => ({ raw: '2' });\n");
    edit(cwd);
    const log = folderWith();
    expect(await diff(cwd, wrapGit(`printf '%s\\n' "$@" > '${log}'/$$`))).toMatchObject({ code: 10 });
    const calls = readdirSync(log).map((name) => readFileSync(join(log, name), 'utf8').split('\n'));
    expect(calls.length).toBeGreaterThan(8);
    expect(calls.flat().filter((word) => word.startsWith('-') && !OPTIONS.includes(word))).toEqual([]);
  });

  it('runs no program of the configuration, attributes, or hooks of the repository', async () => {
    const { cwd, diff } = await published();
    const mark = plantPrograms(cwd);
    edit(cwd);
    expect(await diff(cwd)).toEqual(PLAIN);
    rmSync(join(cwd, 'card'), { recursive: true });
    expect((await diff(cwd)).code).toBe(2);
    expect(existsSync(mark)).toBe(false);
  });
});
