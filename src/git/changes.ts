/** Compares a working tree with a commit. */
import { runGit } from './run-git.ts';
import type { Environment, GitOptions } from './start-git.ts';

/** A file of the commit. */
interface CommittedFile {
  kind: 'file' | 'link' | 'submodule';
  /** The id of its blob. */
  id: string;
  /** Whether the working tree does not have it; a sparse checkout does not count. */
  isRemoved: boolean;
}

/**
 * Changed, added, and removed files, relative to the top of the repository, with `/`; each with its state in the commit,
 * undefined if the commit does not have it.
 */
export type Changes = ReadonlyMap<string, CommittedFile | undefined>;

/** Does not start git in submodules, whose own settings could run programs. */
const DIFF = [
  'diff',
  '--raw',
  '--no-abbrev',
  '-z',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
];

/** Compares the working tree at `top` with a commit. Untracked files count, ignored ones do not. */
export async function readChanges(
  top: string,
  commit: string,
  env: Environment,
  options: Pick<GitOptions, 'checksOwner'> = {},
): Promise<Changes | { error: string }> {
  const settings = await disableFilters(top, env, options);
  const [tracked, untracked] = await Promise.all([
    runGit([...DIFF, commit, '--'], top, env, { ...options, settings }),
    runGit(['ls-files', '--others', '--exclude-standard', '-z', '--full-name'], top, env, options),
  ]);
  const failed = [tracked, untracked].find(({ code }) => code !== 0);
  if (failed) return { error: failed.error.trim() || `git ended with ${failed.code}` };
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
    const kind = KINDS[mode.slice(0, 3)] ?? 'submodule';
    return [[path, mode === MISSING ? undefined : { kind, id, isRemoved: modeNow === MISSING }]];
  });
}

const MISSING = '000000';
const KINDS: Readonly<Record<string, CommittedFile['kind']>> = { '100': 'file', '120': 'link' };

/** Settings that keep the filters of the repository's configuration from running programs. */
async function disableFilters(top: string, env: Environment, options: GitOptions): Promise<string[]> {
  const { output } = await runGit(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], top, env, options);
  const names = new Set(output.split('\0').flatMap((key) => /^filter\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []));
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].map((setting) => `filter.${name}.${setting}`),
  );
}
