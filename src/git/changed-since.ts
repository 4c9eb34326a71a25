/** Compares a working tree with the merge base of a reference and HEAD. */
import { type Changes, readChanges } from './changes.ts';
import { type GitOutput, isOutsideGit } from './git-output.ts';
import { runGit } from './run-git.ts';
import type { Environment } from './start-git.ts';

export interface ChangedSince {
  /** The commit that the working tree is compared with. */
  mergeBase: string;
  changes: Changes;
}

/** Why the comparison is not possible. */
export type SinceProblem =
  | {
      kind:
        | 'not-a-repository'
        | 'zero-reference'
        | 'unknown-reference'
        | 'no-commits'
        | 'shallow'
        | 'unrelated'
        | 'submodule';
    }
  | { kind: 'dubious-ownership' }
  | { kind: 'failed' | 'unsafe'; error: string };

/** The `before` of a push of a new branch. */
const ZERO_ID = /^0{40}(?:0{24})?$/;
const COMMIT_ID = /^[0-9a-f]{40,64}$/;

/** Compares the working tree at `top` with the merge base of `reference` and HEAD. Untracked files count, ignored ones do not. */
export async function findChangedSince(
  top: string,
  reference: string,
  env: Environment,
): Promise<ChangedSince | { problem: SinceProblem }> {
  if (ZERO_ID.test(reference)) return { problem: { kind: 'zero-reference' } };
  // With a leading hyphen, it would be an option.
  if (reference === '' || reference.startsWith('-')) return { problem: { kind: 'unknown-reference' } };
  const run = (...args: string[]) => runGit(args, top, env, { checksOwner: true });
  const commit = await run('rev-parse', '--verify', '--quiet', `${reference}^{commit}`);
  const problem = findProblem(commit);
  if (problem) return { problem };
  const isShallow = async () => (await run('rev-parse', '--is-shallow-repository')).output.trim() === 'true';
  if (commit.code !== 0) {
    const head = await run('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
    if (head.code !== 0) return { problem: { kind: 'no-commits' } };
    return { problem: { kind: (await isShallow()) ? 'shallow' : 'unknown-reference' } };
  }
  const superproject = await run('rev-parse', '--show-superproject-working-tree');
  if (superproject.output.trim() !== '') return { problem: { kind: 'submodule' } };
  const base = await run('merge-base', commit.output.trim(), 'HEAD');
  const mergeBase = base.output.trim();
  if (!COMMIT_ID.test(mergeBase)) return { problem: { kind: (await isShallow()) ? 'shallow' : 'unrelated' } };
  const changes = await readChanges(top, mergeBase, env, { checksOwner: true });
  if (!('error' in changes)) return { mergeBase, changes };
  return { problem: { kind: changes.isUnsafe ? 'unsafe' : 'failed', error: changes.error } };
}

function findProblem(result: GitOutput): SinceProblem | undefined {
  if (/dubious ownership/.test(result.error)) return { kind: 'dubious-ownership' };
  if (isOutsideGit(result)) return { kind: 'not-a-repository' };
  // 1: no such commit. A bad name ends with 128.
  return typeof result.code === 'number'
    ? undefined
    : { kind: 'failed', error: result.error || `git could not be run (${result.code})` };
}
