/** Real git for tests, with an author and without the user's settings. */
import { execFileSync } from 'node:child_process';

export const GIT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Runs git in a folder and returns its output. Raises an error if git fails. */
export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd,
    env: { PATH: GIT_PATH, HOME: cwd, GIT_CONFIG_GLOBAL: '/dev/null' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** Commits all files. */
export const commit = (cwd: string, message: string): void => {
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', message);
};
