/** The tags of a repository. */
import { type Environment, runGit } from './run-git.ts';

/** A tag of each commit that has one, the highest version of several. */
export async function findTags(top: string, env: Environment): Promise<Map<string, string>> {
  const format = '--format=%(objectname) %(*objectname) %(refname:strip=2)';
  const { output } = await runGit(['for-each-ref', '--sort=version:refname', format, 'refs/tags'], top, env);
  // An annotated tag is an object of its own, which points to the commit.
  const lines = output.matchAll(/^([0-9a-f]{40,64}) ([0-9a-f]{40,64})? ?(\S+)$/gm);
  return new Map([...lines].map(([, id = '', commit, tag = '']) => [commit || id, tag]));
}
