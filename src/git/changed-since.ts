/** Which files of a working tree differ from the merge base of a reference and HEAD. */
import { type GitOutput, isOutsideGit, readOutput } from './git-output.ts';
import { type GitOptions, startGit } from './start-git.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ChangedSince {
  /** The commit that the working tree is compared with. */
  mergeBase: string;
  /** Changed, added, and removed files, relative to the top of the repository, with `/`. */
  files: ReadonlySet<string>;
}

/** Why the changes cannot be told. */
export type SinceProblem =
  | { kind: 'not-a-repository' | 'zero-reference' | 'unknown-reference' | 'shallow' | 'unrelated' | 'submodule' }
  | { kind: 'dubious-ownership' }
  | { kind: 'failed'; error: string };

/** A push of a new branch has this as its `before`. */
const ZERO_ID = /^0{40}(?:0{24})?$/;
const COMMIT_ID = /^[0-9a-f]{40,64}$/;

/** Does not start git in submodules, whose own settings could run programs. */
const DIFF = [
  'diff',
  '--name-only',
  '-z',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
];

/** Compares the working tree at `top` with the merge base of `reference` and HEAD. Untracked files count, ignored ones do not. */
export async function findChangedSince(
  top: string,
  reference: string,
  env: Environment,
): Promise<ChangedSince | { problem: SinceProblem }> {
  if (ZERO_ID.test(reference)) return { problem: { kind: 'zero-reference' } };
  // What begins with a hyphen would be an option.
  if (reference === '' || reference.startsWith('-')) return { problem: { kind: 'unknown-reference' } };
  const run = (...args: string[]) => runGit(args, top, env);
  const commit = await run('rev-parse', '--verify', '--quiet', `${reference}^{commit}`);
  const problem = findProblem(commit);
  if (problem) return { problem };
  const isShallow = async () => (await run('rev-parse', '--is-shallow-repository')).output.trim() === 'true';
  if (commit.code !== 0) return { problem: { kind: (await isShallow()) ? 'shallow' : 'unknown-reference' } };
  const superproject = await run('rev-parse', '--show-superproject-working-tree');
  if (superproject.output.trim() !== '') return { problem: { kind: 'submodule' } };
  const base = await run('merge-base', commit.output.trim(), 'HEAD');
  const mergeBase = base.output.trim();
  if (!COMMIT_ID.test(mergeBase)) return { problem: { kind: (await isShallow()) ? 'shallow' : 'unrelated' } };
  const filters = await disabledFilters(top, env);
  const [tracked, untracked] = await Promise.all([
    runGit([...DIFF, mergeBase, '--'], top, env, filters),
    run('ls-files', '--others', '--exclude-standard', '-z', '--full-name'),
  ]);
  const failed = [tracked, untracked].find(({ code }) => code !== 0);
  if (failed) return { problem: { kind: 'failed', error: failed.error.trim() || `git ended with ${failed.code}` } };
  const files = [tracked, untracked].flatMap(({ output }) => output.split('\0').filter(Boolean));
  return { mergeBase, files: new Set(files) };
}

function runGit(args: readonly string[], top: string, env: Environment, settings: readonly string[] = []) {
  const options: GitOptions = { checksOwner: true, settings };
  const git = startGit(args, top, env, options);
  git.stdin?.on('error', () => undefined).end();
  return readOutput(git);
}

function findProblem(result: GitOutput): SinceProblem | undefined {
  if (/dubious ownership/.test(result.error)) return { kind: 'dubious-ownership' };
  if (isOutsideGit(result)) return { kind: 'not-a-repository' };
  // 1: no such commit. A bad name ends with 128.
  return typeof result.code === 'number'
    ? undefined
    : { kind: 'failed', error: `git could not be run (${result.code})` };
}

/** Settings that keep the filters of the repository's configuration from running programs. */
async function disabledFilters(top: string, env: Environment): Promise<string[]> {
  const { output } = await runGit(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], top, env);
  const names = new Set(output.split('\0').flatMap((key) => /^filter\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []));
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].map((setting) => `filter.${name}.${setting}`),
  );
}
