/** What git knows about paths that do not exist in the working tree. */
import { isShallowRepository } from './references.ts';
import { type Environment, isOutsideGit, runGit } from './run-git.ts';

/**
 * Whether any commit that is there has one of the paths, relative to the repository at `top`; `shallow` if none has, and
 * commits are missing.
 */
export async function findKnownPath(
  top: string,
  paths: readonly string[],
  env: Environment,
): Promise<'known' | 'unknown' | 'shallow' | 'no git'> {
  const askable = paths.filter((path) => !/^\.\.(?:\/|$)|[\n\r]/.test(path));
  const log = await runGit(
    ['--literal-pathspecs', 'log', '--all', '--format=%H', '--max-count=1', '--no-show-signature', '--stdin'],
    top,
    env,
    { input: ['--', ...askable, ''].join('\n') },
  );
  if (isOutsideGit(log)) return 'no git';
  if (askable.length > 0 && log.bytes.length > 0) return 'known';
  return (await isShallowRepository(top, env)) ? 'shallow' : 'unknown';
}

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
