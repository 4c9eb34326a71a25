/** Real git for tests, with an author and without the user's settings. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const GIT_PATH = '/usr/local/bin:/usr/bin:/bin';

const SETTINGS = ['user.name=a', 'user.email=a@example.com', 'maintenance.auto=false', 'gc.auto=0'];

/** Runs git in a folder and returns its output. Raises an error if git fails. New repositories have no sample hooks. */
export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
    cwd,
    env: { PATH: GIT_PATH, HOME: cwd, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TEMPLATE_DIR: '' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** Commits all files. */
export const commit = (cwd: string, message: string): void => {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', message);
};

/** Configures a program wherever git could run one for a repository; returns the file that such a program creates. */
export function plantPrograms(cwd: string): string {
  const [mark, script] = [join(cwd, '.git/ran'), join(cwd, '.git/evil.sh')];
  writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\ncat\n`, { mode: 0o755 });
  mkdirSync(join(cwd, '.git/hooks'), { recursive: true });
  writeFileSync(join(cwd, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  writeFileSync(join(cwd, '.gitattributes'), '*.js filter=evil diff=evil\n*.ts filter=evil diff=evil\n');
  const programs = {
    core: ['fsmonitor', 'pager', 'sshCommand'],
    'filter "evil"': ['clean', 'smudge', 'process'],
    diff: ['external'],
    'diff "evil"': ['textconv', 'command'],
    gpg: ['program'],
  };
  const sections = Object.entries(programs).map(
    ([name, keys]) => `[${name}]\n${keys.map((key) => ` ${key} = ${script}\n`).join('')}`,
  );
  const aliases = ['diff', 'log', 'cat-file'].map((name) => ` ${name} = !${script}\n`).join('');
  const more = '[core]\n hooksPath = .git/hooks\n[filter "evil"]\n required = true\n[log]\n showSignature = true\n';
  appendFileSync(join(cwd, '.git/config'), `${sections.join('')}${more}[alias]\n${aliases}`);
  return mark;
}
