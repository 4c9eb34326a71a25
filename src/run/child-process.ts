/** Starts the process of an invocation, and ends it with everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { attempt } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { HAS_MODES, realPath } from '../files/paths.ts';
import { listAncestors } from '../files/repository.ts';
import childScript from '../generated/formula-child.js';
import { requirePermission } from '../host/node-options.ts';

/** Size limit of the JavaScript heap, in MiB. */
const HEAP_MIB = 256;
/** How long work that the formula left running may continue before it is reported and ended. */
export const GRACE_MS = 200;

/** A process that waits for a request. */
export interface IdleProcess {
  child: ChildProcess;
  exit: Promise<ProcessExit>;
  /** The folder that the code appears to be loaded from. */
  codeFolder: string;
  /** How many invocations it has run. */
  runs: number;
  /** Ends it, if it is still running. */
  kill(): void;
}

/**
 * Starts a process in a separate folder. Callers start it early, so that it loads while the formula's folder is checked.
 * Raises usage (2) if the permission model of Node.js forbids child processes.
 */
export function startProcess(nodePath: string, folder: string): IdleProcess {
  requirePermission('ChildProcess', 'run the code');
  const { cwd, codeFolder, scriptPath, remove } = createRunFolder(folder, childScript);
  const child = spawn(nodePath, [`--max-old-space-size=${HEAP_MIB}`, scriptPath, String(process.pid)], {
    cwd,
    env: createEnvironment(process.env),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // A separate process group, so that everything that the formula started can be ended with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr, child.stdio[CHANNEL] as Readable]) stream?.setEncoding('utf8');
  // The process may end before it reads its input.
  for (const stream of [child.stdin, child.stdio[CHANNEL]]) stream?.on('error', () => undefined);
  return { child, exit: waitForExit(child).finally(remove), codeFolder, runs: 0, kill: () => killAll(child) };
}

/** The descriptor of the channel. */
export const CHANNEL = 3;

/** Only the variables that a process needs to start, and UTC, the usual time zone of servers. */
function createEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const needed = process.platform === 'win32' ? ['SystemRoot', 'TEMP', 'TMP'] : [];
  return { TZ: 'UTC', ...Object.fromEntries(needed.flatMap((name) => (env[name] ? [[name, env[name]]] : []))) };
}

/** Ends a process and its process group, unless it already ended. */
export function killAll(child: ChildProcess): void {
  const { pid } = child;
  attempt(() =>
    pid !== undefined && process.platform !== 'win32' ? process.kill(-pid, 'SIGKILL') : child.kill('SIGKILL'),
  );
}

/** Memory use of a process in MiB; 0 if unknown. */
export function readMemory(pid: number | undefined): number {
  const pages = attempt(() => readFileSync(`/proc/${pid}/statm`, 'utf8'))?.split(' ')[1];
  return (Number(pages ?? 0) * 4096) / 2 ** 20;
}

export interface ProcessExit {
  code: number | null;
  signal: string | null;
  /** Why it could not be started. */
  startError?: string;
  /** Whether a process outside the process group still has the pipes open. */
  hasSurvivor?: boolean;
}

/** Resolves when the process ended and its output was read. Does not wait for pipes that other processes keep open. */
function waitForExit(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((done) => {
    let hasSurvivor = false;
    child.once('error', (error: NodeJS.ErrnoException) =>
      done({ code: null, signal: null, startError: error.code ?? error.message }),
    );
    child.once('close', (code, signal) => done({ code, signal, hasSurvivor }));
    child.once('exit', () => {
      const releasePipes = () => {
        hasSurvivor = true;
        for (const stream of child.stdio) stream?.destroy();
      };
      // Output that has arrived is read first, even if this process was blocked meanwhile.
      const drop = setTimeout(() => setImmediate(releasePipes), GRACE_MS * 5);
      child.once('close', () => clearTimeout(drop));
      killAll(child);
    });
  });
}

/**
 * The folders of a process: an empty one to work in, and one that the code appears to be loaded from, with nothing but links to
 * packages. Raises usage (2) if the temporary folder cannot be used. Throws the file system's error.
 */
function createRunFolder(formulaFolder: string, script: string) {
  const top = createTemporaryFolder();
  const cwd = join(top, 'cwd');
  mkdirSync(cwd);
  // The tool itself may be in a Yarn archive. A script file starts faster than -e.
  const scriptPath = join(top, 'run.cjs');
  writeFileSync(scriptPath, script);
  let codeFolder = join(top, 'code');
  mkdirSync(codeFolder);
  // One nested folder for each node_modules that Node.js would search, the top one outermost.
  for (const folder of listAncestors(realPath(formulaFolder)).reverse()) {
    const packages = join(folder, 'node_modules');
    if (!existsSync(packages)) continue;
    // On Windows a junction, which needs no privilege.
    symlinkSync(packages, join(codeFolder, 'node_modules'), 'junction');
    codeFolder = join(codeFolder, 'formula');
    mkdirSync(codeFolder);
  }
  return { cwd, codeFolder, scriptPath, remove: () => rmSync(top, { recursive: true, force: true }) };
}

function createTemporaryFolder(): string {
  try {
    return realPath(mkdtempSync(join(tmpdir(), 'formulary-run-')));
  } catch (error) {
    const hint = `Set ${HAS_MODES ? 'TMPDIR' : 'TEMP'} to a folder that you can write to.`;
    throw fileUsageError(`could not create a temporary folder in ${tmpdir()}`, error, hint);
  }
}
