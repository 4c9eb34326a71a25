/** Real git for tests, with an author and without the user's settings. */
import { execFileSync } from 'node:child_process';

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
