/** The commit that is checked out, tags, and whether older commits are missing. */
import { type Environment, runGit } from './run-git.ts';

/** The id of HEAD's commit in the repository at `top`; undefined without one, and without git. */
export async function findHeadCommit(top: string, env: Environment): Promise<string | undefined> {
  const { output } = await runGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], top, env);
  return /^[0-9a-f]{40,64}$/m.exec(output)?.[0];
}

/** Whether older commits are missing, as in a clone with --depth. */
export async function isShallowRepository(top: string, env: Environment): Promise<boolean> {
  const { output } = await runGit(['rev-parse', '--is-shallow-repository'], top, env);
  return output.trim() === 'true';
}

/** A tag of each commit that has one, the highest version of several. */
export async function findTags(top: string, env: Environment): Promise<Map<string, string>> {
  const format = '--format=%(objectname) %(*objectname) %(refname:strip=2)';
  const { output } = await runGit(['for-each-ref', '--sort=version:refname', format, 'refs/tags'], top, env);
  // An annotated tag is an object of its own, which points to the commit.
  const lines = output.matchAll(/^([0-9a-f]{40,64}) ([0-9a-f]{40,64})? ?(\S+)$/gm);
  return new Map([...lines].map(([, id = '', commit, tag = '']) => [commit || id, tag]));
}
