/** Compares a working tree with a commit, or with the merge base of a reference and HEAD. */
import { type TreeFile, toKind } from './objects.ts';
import { findHeadCommit, isShallowRepository } from './references.ts';
import { type Environment, type GitOutput, isOutsideGit, runGit } from './run-git.ts';

/** A file of the commit. */
interface CommittedFile extends TreeFile {
  /** Whether the working tree does not have it; a sparse checkout does not count. */
  isRemoved: boolean;
}

/**
 * Changed, added, and removed files, relative to the top of the repository, with `/`; each with its state in the commit,
 * undefined if the commit does not have it.
 */
export type Changes = ReadonlyMap<string, CommittedFile | undefined>;

interface ChangesError {
  error: string;
  /** Whether git was not asked because it might run a program of the repository's configuration. */
  isUnsafe?: true;
}

/** Does not start git in submodules, whose own settings could run programs. */
const DIFF = 'diff --raw --no-abbrev -z --no-renames --no-ext-diff --no-textconv --ignore-submodules=dirty'.split(' ');

/** Compares the working tree at `top` with a commit. Untracked files count, ignored ones do not. */
export async function readChanges(top: string, commit: string, env: Environment): Promise<Changes | ChangesError> {
  const settings = await disableFilters(top, env);
  if ('error' in settings) return settings;
  const [tracked, untracked] = await Promise.all([
    runGit([...DIFF, commit, '--'], top, env, { settings }),
    runGit(['ls-files', '--others', '--exclude-standard', '-z', '--full-name'], top, env),
  ]);
  const failed = [tracked, untracked].find(({ code }) => code !== 0);
  if (failed) return { error: describeFailure(failed) };
  const added = untracked.output.split('\0').filter(Boolean);
  return new Map([...parseRawDiff(tracked.output), ...added.map((file) => [file, undefined] as const)]);
}

/** Each file is `:mode mode id id status`, NUL, its path, NUL; of the modes and ids, the first is that of the commit. */
function parseRawDiff(output: string): [string, CommittedFile | undefined][] {
  const parts = output.split('\0');
  return parts.flatMap((part, i): [string, CommittedFile | undefined][] => {
    const [, mode = '', modeNow, id = ''] = /^:(\d{6}) (\d{6}) ([0-9a-f]+) [0-9a-f]+ [A-Z]\d*$/.exec(part) ?? [];
    const path = parts[i + 1];
    if (mode === '' || path === undefined || i % 2 === 1) return [];
    return [
      [path, mode === MISSING ? undefined : { kind: toKind(mode.slice(0, 3)), id, isRemoved: modeNow === MISSING }],
    ];
  });
}

const MISSING = '000000';

/** Settings that keep the filters of the repository's configuration from running programs. */
async function disableFilters(top: string, env: Environment): Promise<readonly string[] | ChangesError> {
  const keys = await runGit(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], top, env);
  // 1: there are none.
  if (keys.code !== 0 && keys.code !== 1) return { error: describeFailure(keys) };
  const names = new Set(keys.output.split('\0').flatMap((key) => /^filter\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []));
  // git would read a setting with this name up to the first equals sign.
  const unsafe = [...names].find((name) => name.includes('='));
  if (unsafe !== undefined)
    return { error: `its configuration has a filter with an equals sign in the name, "${unsafe}"`, isUnsafe: true };
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].map((setting) => `filter.${name}.${setting}`),
  );
}

const describeFailure = ({ code, error }: GitOutput) => error.trim() || `git ended with ${code}`;

export interface ChangedSince {
  /** The commit that the working tree is compared with. */
  mergeBase: string;
  changes: Changes;
}

/** Why a reference cannot be used. */
export interface ReferenceProblem {
  kind:
    | 'not-a-repository'
    | 'zero-reference'
    | 'unknown-reference'
    | 'no-commits'
    | 'shallow'
    | 'unrelated'
    | 'submodule'
    | 'dubious-ownership'
    | 'failed'
    | 'unsafe';
  /** For `failed` and `unsafe`. */
  error?: string;
}

/** The `before` of a push of a new branch. */
const ZERO_ID = /^0{40}(?:0{24})?$/;
const COMMIT_ID = /^[0-9a-f]{40,64}$/;

/** The commit that a reference names. Only this asks git whether another user owns the repository. */
export async function findCommit(
  top: string,
  reference: string,
  env: Environment,
): Promise<{ commit: string } | { problem: ReferenceProblem }> {
  if (ZERO_ID.test(reference)) return { problem: { kind: 'zero-reference' } };
  // With a leading hyphen, it would be an option.
  if (reference === '' || reference.startsWith('-')) return { problem: { kind: 'unknown-reference' } };
  const args = ['rev-parse', '--verify', '--quiet', `${reference}^{commit}`];
  const commit = await runGit(args, top, env, { checksOwner: true });
  const problem = findProblem(commit);
  if (problem) return { problem };
  if (commit.code !== 0) {
    if ((await findHeadCommit(top, env)) === undefined) return { problem: { kind: 'no-commits' } };
    return { problem: { kind: (await isShallowRepository(top, env)) ? 'shallow' : 'unknown-reference' } };
  }
  const superproject = await runGit(['rev-parse', '--show-superproject-working-tree'], top, env);
  return superproject.output.trim() === '' ? { commit: commit.output.trim() } : { problem: { kind: 'submodule' } };
}

/** Compares the working tree at `top` with the merge base of `reference` and HEAD. Untracked files count, ignored ones do not. */
export async function findChangedSince(
  top: string,
  reference: string,
  env: Environment,
): Promise<ChangedSince | { problem: ReferenceProblem }> {
  const found = await findCommit(top, reference, env);
  if ('problem' in found) return found;
  const base = await runGit(['merge-base', found.commit, 'HEAD'], top, env);
  const mergeBase = base.output.trim();
  if (!COMMIT_ID.test(mergeBase))
    return { problem: { kind: (await isShallowRepository(top, env)) ? 'shallow' : 'unrelated' } };
  const changes = await readChanges(top, mergeBase, env);
  if (!('error' in changes)) return { mergeBase, changes };
  return { problem: { kind: changes.isUnsafe ? 'unsafe' : 'failed', error: changes.error } };
}

function findProblem(result: GitOutput): ReferenceProblem | undefined {
  if (/dubious ownership/.test(result.error)) return { kind: 'dubious-ownership' };
  if (isOutsideGit(result)) return { kind: 'not-a-repository' };
  // 1: no such commit. A bad name ends with 128.
  return typeof result.code === 'number'
    ? undefined
    : { kind: 'failed', error: result.error || `git could not be run (${result.code})` };
}
