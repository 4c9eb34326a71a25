/** The commit that is checked out. */
import { type Environment, runGit } from './run-git.ts';

/** The id of HEAD's commit in the repository at `top`; undefined without one, and without git. */
export async function findHeadCommit(top: string, env: Environment): Promise<string | undefined> {
  const { output } = await runGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], top, env);
  return /^[0-9a-f]{40,64}$/m.exec(output)?.[0];
}
