/** What git is asked about ignored files, and what a hostile repository can make it do meanwhile: nothing. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isIgnored, isTracked } from '../../src/git/ignored.ts';
import { runGit } from '../../src/git/run-git.ts';
import { folderWith } from '../helpers/folders.ts';
import { GIT_PATH as PATH } from '../helpers/git.ts';

const ENV = { PATH };

function repositoryWith(files: Record<string, string>): string {
  const folder = folderWith(files);
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: folder, env: { ...ENV, HOME: folder }, stdio: 'ignore' });
  git('init', '-q', '.');
  git('add', '-f', '.gitignore', ...Object.keys(files).filter((name) => name.startsWith('tracked')));
  return folder;
}

async function ask(folder: string, paths: string[], env: Record<string, string> = ENV) {
  const results = await Promise.all(paths.map((path) => isIgnored(path, folder, env)));
  return results.find((one) => typeof one === 'string') ?? paths.filter((_, i) => results[i] === true);
}

describe('git', () => {
  it('lists the ignored files, not the tracked ones, with any characters', async () => {
    const folder = repositoryWith({
      '.gitignore': '*.json\n!d.json\n/out/\n',
      'a.json': '',
      'tracked.json': '',
      'b.txt': '',
      'd.json': '',
      'out/c.txt': '',
      'é\n".json': '',
    });
    const paths = ['a.json', 'tracked.json', 'b.txt', 'd.json', 'out/c.txt', 'out', 'é\n".json', 'not-there.json'];
    expect(await ask(folder, paths)).toEqual(['a.json', 'out/c.txt', 'out', 'é\n".json', 'not-there.json']);
    expect(await ask(folder, ['b.txt'])).toEqual([]);
    expect(await ask(folder, [])).toEqual([]);
  });

  it('tells which files it tracks', async () => {
    const folder = repositoryWith({ '.gitignore': '*.json\n', 'tracked.json': '', 'new.txt': '' });
    const paths = ['tracked.json', 'new.txt', 'not-there', 'tracked\nnot.json'];
    expect(await Promise.all(paths.map((path) => isTracked(path, folder, ENV)))).toEqual([true, false, false, false]);
  });

  it('has no result if it is not installed, or without a repository', async () => {
    const folder = folderWith({ 'a.json': '' });
    expect(await ask(folder, ['a.json'], { PATH: folder })).toBe('no git');
    expect(await ask(folder, ['a.json'], { ...ENV, HOME: folder })).toBe('no git');
  });

  it('fails for invalid settings, and for a path that it rejects', async () => {
    const folder = repositoryWith({ '.gitignore': '' });
    expect(await ask(folder, ['../x'])).toBe('failed');
    writeFileSync(join(folder, '.git/config'), '[broken');
    expect(await ask(folder, ['a.json'])).toBe('failed');
  });

  it('runs no program that a repository configures, and none of that name in it', async () => {
    const folder = repositoryWith({ '.gitignore': '*.json\n', git: '', run: '' });
    for (const name of ['git', 'run']) {
      writeFileSync(join(folder, name), `#!/bin/sh\ntouch "${folder}/was-run"\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const config = ['fsmonitor', 'pager', 'editor', 'sshCommand', 'askPass', 'alternateRefsCommand'];
    const lines = config.map((name) => `\t${name} = ${folder}/run`);
    writeFileSync(
      join(folder, '.git/config'),
      `[core]\n${lines.join('\n')}\n\thooksPath = ${folder}\n[alias]\n\tcheck-ignore = !${folder}/run\n`,
    );
    expect(await ask(folder, ['a.json'], { PATH: `.:${ENV.PATH}` })).toEqual(['a.json']);
    expect(existsSync(join(folder, 'was-run'))).toBe(false);
  });

  it('ignores variables of the environment that change the repository', async () => {
    const folder = repositoryWith({ '.gitignore': '*.json\n' });
    const other = repositoryWith({ '.gitignore': '' });
    const env = { ...ENV, GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other };
    expect(await ask(folder, ['a.json'], env)).toEqual(['a.json']);
  });

  it.skipIf(process.platform === 'win32')('is not started again after a timeout', async () => {
    const folder = folderWith();
    execFileSync('git', ['init', '-q', '.'], { cwd: folder, env: { ...ENV, HOME: folder } });
    execFileSync('mkfifo', [join(folder, '.gitignore')]);
    expect(await isIgnored('a.json', folder, ENV, 0.05)).toBe('failed');
    // With its time limit of 20 s this would outlast the test.
    expect(await ask(folder, ['a.json'])).toBe('failed');
  });
});

it('the output of git is not decoded before it is used, since the text of 256 MiB may need twice as much memory', async () => {
  const result = await runGit(['--version'], folderWith(), ENV);
  expect(result.bytes.toString()).toMatch(/^git version /);
  result.bytes.fill('x');
  expect(result.output).toMatch(/^x+$/);
});
