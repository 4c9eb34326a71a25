/** Whether git knows paths that do not exist in the working tree. */
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
  const { output } = await runGit(['rev-parse', '--is-shallow-repository'], top, env);
  return output.trim() === 'true' ? 'shallow' : 'unknown';
}
