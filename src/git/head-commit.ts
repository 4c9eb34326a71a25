/** The commit that is checked out. */
import { readOutput } from './git-output.ts';
import { startGit } from './start-git.ts';

/** The id of HEAD's commit in the repository at `top`; undefined without one, and without git. */
export async function findHeadCommit(
  top: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const git = startGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], top, env);
  git.stdin?.on('error', () => undefined).end();
  const [id] = /^[0-9a-f]{40,64}$/m.exec((await readOutput(git)).output) ?? [];
  return id;
}
