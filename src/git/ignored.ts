/** Which files git ignores. */
import { isOutsideGit, readOutput } from './git-output.ts';
import { startGit } from './start-git.ts';

/** 'no git' where there is no such program, or no repository that it knows. */
export type IgnoredPaths = ReadonlySet<string> | 'no git' | 'failed';

export interface IgnoreCheck {
  /** Asks of one more path, relative to the folder and with `/`. */
  add(path: string): void;
  /** The paths that are ignored; those that are tracked are not. To be called once. */
  finish(): Promise<IgnoredPaths>;
  /** Ends without an answer. */
  cancel(): void;
}

const MAX_SECONDS = 20;

/** Folders for which git took too long, because of a pipe or of patterns that never end: it is not asked again. */
const tooSlow = new Set<string>();

const FAILED: IgnoreCheck = { add: () => undefined, finish: async () => 'failed', cancel: () => undefined };

/** One run of git for all paths; it works while they are still being found. */
export function startIgnoreCheck(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  seconds = MAX_SECONDS,
): IgnoreCheck {
  if (tooSlow.has(folder)) return FAILED;
  const git = startGit(['check-ignore', '-z', '--stdin'], folder, env);
  const timer = setTimeout(() => {
    tooSlow.add(folder);
    git.kill('SIGKILL');
  }, seconds * 1000);
  const outputRead = readOutput(git).finally(() => clearTimeout(timer));
  outputRead.catch(() => undefined);
  // Where git ends early, its exit code says more than a broken pipe.
  git.stdin?.on('error', () => undefined);
  return {
    add: (path) => git.stdin?.write(`${path}\0`),
    cancel: () => git.kill('SIGKILL'),
    finish: async () => {
      git.stdin?.end();
      const result = await outputRead;
      if (isOutsideGit(result)) return 'no git';
      const { code, output } = result;
      // 1: nothing is ignored.
      return code === 0 || code === 1 ? new Set(output.split('\0').filter(Boolean)) : 'failed';
    },
  };
}
