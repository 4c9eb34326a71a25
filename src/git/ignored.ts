/** Asks git whether it ignores or tracks files. One process answers for all folders of a run, and ends when it is idle. */
import type { ChildProcess } from 'node:child_process';
import { type Environment, isOutsideGit, runGit, startGit } from './run-git.ts';

/** 'no git': git is not installed, or finds no repository. */
type Failure = 'no git' | 'failed';

const MAX_SECONDS = 20;
const IDLE_MS = 100;

/** Whether git ignores a path, relative to the folder and with `/`; tracked ones are never ignored. */
export async function isIgnored(
  path: string,
  folder: string,
  env: Environment,
  seconds = MAX_SECONDS,
): Promise<boolean | Failure> {
  const fields = await ask(['check-ignore', '-z', '-v', '-n', '--stdin'], `${path}\0`, folder, env, seconds);
  // The file of the pattern, its line, the pattern, and the path.
  return typeof fields === 'string' ? fields : fields[2] !== '' && !fields[2]?.startsWith('!');
}

/** Whether git's index has a file. */
export async function isTracked(path: string, folder: string, env: Environment): Promise<boolean | Failure> {
  if (path.includes('\n')) return false;
  const answer = await ask(['cat-file', '--batch-check'], `:./${path}\n`, folder, env, MAX_SECONDS);
  return typeof answer === 'string' ? answer : / blob \d+$/.test(answer[0] ?? '');
}

type Answer = (fields: string[] | Failure) => void;

interface Session {
  git: ChildProcess;
  waiting: Answer[];
}

const sessions = new Map<string, Session>();

/** Processes that took too long, because of a pipe or exponential patterns; they are not started again. */
const tooSlow = new Set<string>();

function ask(args: string[], question: string, folder: string, env: Environment, seconds: number) {
  const key = JSON.stringify([args[0], folder, env['PATH'], env['HOME']]);
  if (tooSlow.has(key)) return Promise.resolve<Failure>('failed');
  const session = sessions.get(key) ?? openSession(args, folder, env, key, seconds);
  return new Promise<string[] | Failure>((answer) => {
    session.waiting.push(answer);
    keepAlive(session.git, true);
    session.git.stdin?.write(question);
  });
}

function openSession(args: string[], folder: string, env: Environment, key: string, seconds: number): Session {
  const git = startGit(args, folder, env);
  const session: Session = { git, waiting: [] };
  sessions.set(key, session);
  const [separator, count] = args.includes('-z') ? ['\0', 4] : ['\n', 1];
  let [rest, error] = ['', ''];
  const onTimeout = () => {
    if (session.waiting.length === 0) return void git.stdin?.end();
    tooSlow.add(key);
    git.kill('SIGKILL');
  };
  let timer = setTimeout(onTimeout, seconds * 1000);
  const decoder = new TextDecoder();
  git.stdout?.on('data', (chunk: Buffer) => {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(separator);
    while (parts.length > count) session.waiting.shift()?.(parts.splice(0, count));
    rest = parts.join(separator);
    const isIdle = session.waiting.length === 0;
    clearTimeout(timer);
    timer = setTimeout(onTimeout, isIdle ? IDLE_MS : seconds * 1000).unref();
    if (isIdle) keepAlive(git, false);
  });
  git.stderr?.on('data', (chunk: Buffer) => {
    error = `${error}${chunk}`.slice(0, 4096);
  });
  // If git ends early, its exit code tells more than a broken pipe.
  git.stdin?.on('error', () => undefined);
  const finish = (code: number | string | null) => {
    clearTimeout(timer);
    if (sessions.get(key) === session) sessions.delete(key);
    for (const answer of session.waiting.splice(0)) answer(isOutsideGit({ code, error }) ? 'no git' : 'failed');
  };
  git.once('error', ({ code }: NodeJS.ErrnoException) => finish(code ?? 'failed'));
  git.once('close', finish);
  git.stdin?.once('finish', () => sessions.delete(key));
  return session;
}

/** Whether the process keeps this one from ending; its pipes are sockets. */
function keepAlive(git: ChildProcess, isBusy: boolean): void {
  for (const one of [git, git.stdin, git.stdout, git.stderr] as ({ ref?(): void; unref?(): void } | null)[])
    if (isBusy) one?.ref?.();
    else one?.unref?.();
}

/**
 * The ignored ones of paths, relative to the repository at `top` and with `/`, by its own rules: those of the user would
 * make a folder's fate depend on the computer.
 */
export async function findIgnoredFiles(
  top: string,
  paths: readonly string[],
  env: Environment,
): Promise<ReadonlySet<string> | 'failed'> {
  const result = await runGit(['check-ignore', '-z', '--stdin'], top, env, {
    input: paths.map((path) => `${path}\0`).join(''),
    settings: ['core.excludesFile=/dev/null'],
  });
  // 1: nothing is ignored.
  if (isOutsideGit(result) || result.code === 1) return new Set();
  return result.code === 0 ? new Set(result.output.split('\0').filter(Boolean)) : 'failed';
}
