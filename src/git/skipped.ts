/** Finds tracked files that a sparse checkout leaves out of the working tree. */
import { type Environment, isOutsideGit, runGit } from './run-git.ts';

/** The tag of `git ls-files -t` for a file with the skip-worktree bit. */
const SKIPPED_TAG = 'S ';

/**
 * The skipped files with a name in the repository at `top`, relative to it and with `/`; none if git is not installed or
 * finds no repository. `error` is the output of git.
 */
export async function findSkippedFiles(
  top: string,
  name: string,
  env: Environment,
): Promise<ReadonlySet<string> | { error: string }> {
  const result = await runGit(['ls-files', '-t', '-z', '--', name, `*/${name}`], top, env);
  if (isOutsideGit(result)) return new Set();
  if (result.code !== 0) return { error: result.error.trim() || `git ended with ${result.code}` };
  const lines = result.output.split('\0').filter((line) => line.startsWith(SKIPPED_TAG));
  return new Set(lines.map((line) => line.slice(SKIPPED_TAG.length)));
}
