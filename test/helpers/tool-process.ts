/** The built tool as a process of its own, whose output is awaited. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface ToolRun {
  status: number | null;
  out: string;
  err: string;
}

/** Runs the tool of the project, or an installed copy in the folder `tool`, in an environment of PATH and `env` alone. */
export async function runTool(
  words: readonly string[],
  { tool = ROOT, env = {}, cwd }: { tool?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<ToolRun> {
  const child = spawn(process.execPath, [join(tool, 'bin/formulary.js'), ...words], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [status, out, err] = await Promise.all([ended, child.stdout.toArray(), child.stderr.toArray()]);
  return { status, out: out.join(''), err: err.join('') };
}
