/** Starts git so that a repository cannot make it run programs, prompt, or use the network. The only user of git. */
import { type ChildProcess, spawn } from 'node:child_process';
import { parse } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Overrides of settings with which a repository could run programs, connect to hosts, or use all memory. */
const SAFE_SETTINGS = [
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  // git reads these files to their end, and a device has none.
  'diff.orderFile=/dev/null',
  'log.mailmap=false',
  'core.sshCommand=false',
  'core.askPass=false',
  'protocol.allow=never',
];

/** The variables with which git finds its files and the user's settings; others, such as GIT_DIR, would redirect it. */
const PASSED_VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT', 'TMPDIR', 'TEMP'];

const FIXED_VARIABLES = {
  LC_ALL: 'C',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
};

/** Containers rarely own the repository that they work in. */
const ANY_OWNER = 'safe.directory=*';

export interface GitOptions {
  /** Whether git may refuse a repository of another user. */
  checksOwner?: boolean;
  /** Further settings, as `name=value`. */
  settings?: readonly string[];
}

/** Starts git for a folder, without a shell; its input and outputs are pipes. */
export function startGit(
  args: readonly string[],
  folder: string,
  env: Environment,
  { checksOwner = false, settings: furtherSettings = [] }: GitOptions = {},
): ChildProcess {
  const passedVariables = PASSED_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const overrides = [...SAFE_SETTINGS, ...(checksOwner ? [] : [ANY_OWNER]), ...furtherSettings];
  const settings = overrides.flatMap((setting) => ['-c', setting]);
  // Without --work-tree, core.worktree could name another folder.
  return spawn('git', ['-C', folder, '--work-tree=.', ...settings, '--no-pager', ...args], {
    // On Windows, a program named git in the current folder would be started instead.
    cwd: parse(folder).root,
    env: { ...Object.fromEntries(passedVariables), ...FIXED_VARIABLES },
    stdio: 'pipe',
    windowsHide: true,
  });
}
