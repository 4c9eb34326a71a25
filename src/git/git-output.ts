/** What a run of git printed, and how it ended. */
import type { ChildProcess } from 'node:child_process';

export interface GitOutput {
  /** The exit code; null after a signal, or the code of the system's error where git did not start. */
  code: number | string | null;
  output: string;
  error: string;
}

const MAX_SECONDS = 20;

/** Waits for the end of git, for 20 seconds at most. Never rejects. */
export function readOutput(git: ChildProcess): Promise<GitOutput> {
  const timer = setTimeout(() => git.kill('SIGKILL'), MAX_SECONDS * 1000);
  const [output, error] = [git.stdout, git.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  }) as [() => string, () => string];
  return new Promise<GitOutput>((done) => {
    const finish = (code: GitOutput['code']) => done({ code, output: output(), error: error() });
    git.once('error', ({ code }: NodeJS.ErrnoException) => finish(code ?? 'failed'));
    git.once('close', finish);
  }).finally(() => clearTimeout(timer));
}

/** Whether git is not installed, or knows no repository there. */
export const isOutsideGit = ({ code, error }: GitOutput): boolean =>
  code === 'ENOENT' || /^fatal: not a git repository/m.test(error);
