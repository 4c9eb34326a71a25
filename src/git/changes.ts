/** Compares a working tree with a commit. */
import type { GitOutput } from './git-output.ts';
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

interface ChangesError {
  error: string;
  /** Whether git was not asked because it might run a program of the repository's configuration. */
  isUnsafe?: true;
}

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
): Promise<Changes | ChangesError> {
  const settings = await disableFilters(top, env, options);
  if ('error' in settings) return settings;
  const [tracked, untracked] = await Promise.all([
    runGit([...DIFF, commit, '--'], top, env, { ...options, settings }),
    runGit(['ls-files', '--others', '--exclude-standard', '-z', '--full-name'], top, env, options),
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
    const kind = KINDS[mode.slice(0, 3)] ?? 'submodule';
    return [[path, mode === MISSING ? undefined : { kind, id, isRemoved: modeNow === MISSING }]];
  });
}

const MISSING = '000000';
const KINDS: Readonly<Record<string, CommittedFile['kind']>> = { '100': 'file', '120': 'link' };

/** Settings that keep the filters of the repository's configuration from running programs. */
async function disableFilters(
  top: string,
  env: Environment,
  options: GitOptions,
): Promise<readonly string[] | ChangesError> {
  const keys = await runGit(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], top, env, options);
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
