/** Runs git to its end. */
import { type GitOutput, readOutput } from './git-output.ts';
import { type Environment, type GitOptions, startGit } from './start-git.ts';

/** Runs git in a folder, with `input` on its standard input. Never rejects. */
export function runGit(
  args: readonly string[],
  folder: string,
  env: Environment,
  { input = '', ...options }: GitOptions & { input?: string } = {},
): Promise<GitOutput> {
  const git = startGit(args, folder, env, options);
  // If git ends early, its exit code tells more than a broken pipe.
  git.stdin?.on('error', () => undefined).end(input);
  return readOutput(git);
}
