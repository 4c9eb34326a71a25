/** Finds the files that git ignores. */
import { type Environment, isOutsideGit, readOutput, runGit, startGit } from './run-git.ts';

/** 'no git': git is not installed, or finds no repository. */
export type IgnoredPaths = ReadonlySet<string> | 'no git' | 'failed';

export interface IgnoreCheck {
  /** Adds a path, relative to the folder and with `/`. */
  add(path: string): void;
  /** The ignored paths; tracked ones are never ignored. Call once. */
  finish(): Promise<IgnoredPaths>;
  /** Stops without a result. */
  cancel(): void;
}

const MAX_SECONDS = 20;

/** Folders for which git took too long, because of a pipe or exponential patterns; they are not checked again. */
const tooSlow = new Set<string>();

const FAILED: IgnoreCheck = { add: () => undefined, finish: async () => 'failed', cancel: () => undefined };

/** Starts one run of git for all paths, which runs while they are still being found. */
export function startIgnoreCheck(folder: string, env: Environment, seconds = MAX_SECONDS): IgnoreCheck {
  if (tooSlow.has(folder)) return FAILED;
  const git = startGit(['check-ignore', '-z', '--stdin'], folder, env);
  const timer = setTimeout(() => {
    tooSlow.add(folder);
    git.kill('SIGKILL');
  }, seconds * 1000);
  const outputRead = readOutput(git).finally(() => clearTimeout(timer));
  outputRead.catch(() => undefined);
  // If git ends early, its exit code tells more than a broken pipe.
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

/**
 * The ignored ones of paths, relative to the repository at `top` and with `/`, by its own rules: those of the user would
 * make a folder's fate depend on the computer.
 */
export async function findIgnoredFiles(
  top: string,
  paths: readonly string[],
  env: Environment,
): Promise<ReadonlySet<string> | 'failed'> {
  const result = await runGit(['check-ignore', '-z', '--stdin'], top, env, {
    input: paths.map((path) => `${path}\0`).join(''),
    settings: ['core.excludesFile=/dev/null'],
  });
  // 1: nothing is ignored.
  if (isOutsideGit(result) || result.code === 1) return new Set();
  return result.code === 0 ? new Set(result.output.split('\0').filter(Boolean)) : 'failed';
}
