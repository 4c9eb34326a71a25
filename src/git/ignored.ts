/** Which files git ignores. */
import type { ChildProcess } from 'node:child_process';
import { startGit } from './start-git.ts';

/** 'no git' where there is no such program, or no repository that it knows. */
export type Ignored = ReadonlySet<string> | 'no git' | 'failed';

export interface IgnoreQuestion {
  /** Asks of one more path, relative to the folder and with `/`. */
  ask(path: string): void;
  /** The paths that are ignored; those that are tracked are not. To be called once. */
  answer(): Promise<Ignored>;
  /** Ends without an answer. */
  cancel(): void;
}

const MAX_SECONDS = 20;

/** One run of git for all paths; it works while they are still being found. */
export function askIgnored(folder: string, env: Readonly<Record<string, string | undefined>>): IgnoreQuestion {
  const git = startGit(['check-ignore', '-z', '--stdin'], folder, env);
  const timer = setTimeout(() => git.kill('SIGKILL'), MAX_SECONDS * 1000);
  const end = outputOf(git).finally(() => clearTimeout(timer));
  end.catch(() => undefined);
  // Where git ends early, its exit code says more than a broken pipe.
  git.stdin?.on('error', () => undefined);
  return {
    ask: (path) => git.stdin?.write(`${path}\0`),
    cancel: () => git.kill('SIGKILL'),
    answer: async () => {
      git.stdin?.end();
      const { code, output, error } = await end;
      if (code === 'ENOENT' || /^fatal: not a git repository/m.test(error)) return 'no git';
      // 1: nothing is ignored.
      return code === 0 || code === 1 ? new Set(output.split('\0').filter(Boolean)) : 'failed';
    },
  };
}

interface Ended {
  code: number | string | null;
  output: string;
  error: string;
}

function outputOf(git: ChildProcess): Promise<Ended> {
  const [output, error] = [git.stdout, git.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  }) as [() => string, () => string];
  return new Promise((done) => {
    const finish = (code: number | string | null) => done({ code, output: output(), error: error() });
    git.once('error', ({ code }: NodeJS.ErrnoException) => finish(code ?? 'failed'));
    git.once('close', finish);
  });
}
