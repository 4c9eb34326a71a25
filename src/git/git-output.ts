/** The output of a run of git, and its exit code. */
import type { ChildProcess } from 'node:child_process';

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
export function readOutput(git: ChildProcess): Promise<GitOutput> {
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
export const isOutsideGit = ({ code, error }: GitOutput): boolean =>
  code === 'ENOENT' || /^fatal: not a git repository/m.test(error);
