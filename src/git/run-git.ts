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

export interface GitOutput {
  /** The exit code; null after a signal, or the error code if git did not start. */
  code: number | string | null;
  readonly output: string;
  /** The output, not decoded. */
  bytes: Buffer;
  error: string;
}

const MAX_SECONDS = 20;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Waits until git ends; stops it after 20 seconds or 256 MiB. Never rejects. */
function readOutput(git: ChildProcess): Promise<GitOutput> {
  let stopReason = '';
  const stop = (reason: string) => {
    stopReason = `git was stopped: ${reason}`;
    git.kill('SIGKILL');
  };
  const timer = setTimeout(() => stop(`it took more than ${MAX_SECONDS} seconds`), MAX_SECONDS * 1000);
  const [output, error] = [git.stdout, git.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream?.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_OUTPUT_BYTES) stop(`its output is larger than ${MAX_OUTPUT_BYTES / 1024 / 1024} MiB`);
      else chunks.push(chunk);
    });
    return () => Buffer.concat(chunks);
  }) as [() => Buffer, () => Buffer];
  return new Promise<GitOutput>((done) => {
    const finish = (code: GitOutput['code']) => {
      const bytes = output();
      done({
        code,
        bytes,
        // Decoded only where it is used: as text, 256 MiB can be twice as large.
        get output() {
          return bytes.toString('utf8');
        },
        error: stopReason || error().toString('utf8'),
      });
    };
    git.once('error', ({ code }: NodeJS.ErrnoException) => finish(code ?? 'failed'));
    git.once('close', finish);
  }).finally(() => clearTimeout(timer));
}

/** Whether git is not installed, or finds no repository. */
export const isOutsideGit = ({ code, error }: Pick<GitOutput, 'code' | 'error'>): boolean =>
  code === 'ENOENT' || /^fatal: not a git repository/m.test(error);

/** Runs git in a folder, with `input` on its standard input. Never rejects. */
export function runGit(
  args: readonly string[],
  folder: string,
  env: Environment,
  { input = '', ...options }: GitOptions & { input?: string } = {},
): Promise<GitOutput> {
  const git = startGit(args, folder, env, options);
  // If git ends early, its exit code tells more than a broken pipe.
  git.stdin?.on('error', () => undefined).end(input);
  return readOutput(git);
}
