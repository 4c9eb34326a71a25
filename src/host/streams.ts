/** Standard input, output, and error of the process. */
import { fstatSync, statSync, writeSync } from 'node:fs';
import { attempt, CliError } from '../errors.ts';
import type { OutputStream } from './host.ts';

const DESCRIPTORS = { stdin: 0, stdout: 1, stderr: 2 };

/** Whether a stream is a terminal. Loads node:tty only for devices other than /dev/null. */
export function isTerminal(name: keyof typeof DESCRIPTORS): boolean {
  const descriptor = DESCRIPTORS[name];
  return isDevice(descriptor) && process.getBuiltinModule('node:tty').isatty(descriptor);
}

function isDevice(descriptor: number): boolean {
  const stats = attempt(() => fstatSync(descriptor));
  return stats?.isCharacterDevice() === true && stats.rdev !== attempt(() => statSync('/dev/null'))?.rdev;
}

/** An empty pipe has at least this capacity. */
const SYNC_WRITE_BYTES = 32 * 1024;

/**
 * Standard output or error. A stream that the reader closed early (`| head`) is ignored. Except on terminals, the first
 * writes are synchronous, because creating Node.js's own streams takes longer than most commands.
 */
export function openOutputStream(name: 'stdout' | 'stderr', env: NodeJS.ProcessEnv): OutputStream {
  const isTty = isTerminal(name);
  let isOpen = true;
  let stream: NodeJS.WriteStream | undefined;
  let syncBytesLeft = isTty || process.platform === 'win32' ? 0 : SYNC_WRITE_BYTES;
  const fail = (error: NodeJS.ErrnoException) => {
    isOpen = false;
    if (error.code === 'EPIPE' || error.code === 'EBADF') return;
    // For example a full disk: the command succeeded, but its output is lost.
    const message = `error: could not write the output (${error.code})\n`;
    if (name === 'stdout') process.stderr.on('error', () => undefined).write(message);
    // The exit code of the command takes precedence.
    process.exitCode ||= 1;
  };
  const writeToStream = (rest: Uint8Array | string) => {
    stream ??= process[name].on('error', fail);
    stream.write(rest);
  };
  const write = (text: string) => {
    const bytes = Buffer.from(text);
    syncBytesLeft -= bytes.length;
    if (stream || syncBytesLeft < 0) return writeToStream(bytes);
    try {
      const rest = writeWithoutBlocking(DESCRIPTORS[name], bytes);
      if (rest.length > 0) writeToStream(rest);
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    }
  };
  return {
    write: (text) => {
      if (isOpen) write(text);
    },
    isTerminal: isTty,
    hasColor: supportsColor(isTty, env),
    columns: (isTty && process[name].columns) || 80,
  };
}

/** Writes as much as possible without blocking, and returns the rest. */
function writeWithoutBlocking(descriptor: number, bytes: Uint8Array): Uint8Array {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
  return rest;
}

/** Whether to use colors: on terminals, unless NO_COLOR or TERM=dumb is set; everywhere with FORCE_COLOR. */
export function supportsColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true;
  return isTerminal && env['TERM'] !== 'dumb' && env['FORCE_COLOR'] !== '0';
}

const MAX_STDIN_MIB = 64;

/** All of standard input. Raises usage (2) above 64 MiB. */
export async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > MAX_STDIN_MIB * 2 ** 20)
      throw new CliError('usage', `standard input is larger than ${MAX_STDIN_MIB} MiB`);
  }
  return Buffer.concat(chunks);
}

/** Prompts for a line; undefined at the end of input. With `isHidden`, the input is not echoed. */
export async function ask(
  question: string,
  { isHidden, canMoveCursor }: { isHidden: boolean; canMoveCursor: boolean },
  abortSignal: AbortSignal,
): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises');
  // In terminal mode, readline disables the terminal's echo and restores it when closed, also after Ctrl-C.
  const lines = createInterface({
    input: process.stdin,
    output: isHidden ? await createNullStream() : process.stderr,
    terminal: canMoveCursor,
    historySize: 0,
  });
  const ended = new Promise<undefined>((done) => lines.once('close', () => done(undefined)));
  const interrupted = new Promise<never>((_, fail) => {
    const end = () => fail(new CliError('interrupted', 'interrupted'));
    lines.once('SIGINT', end);
    abortSignal.addEventListener('abort', end, { once: true });
  });
  if (isHidden) process.stderr.write(question);
  let answer: string | undefined;
  try {
    answer = await Promise.race([lines.question(isHidden ? '' : question), ended, interrupted]);
    return answer;
  } finally {
    // The cursor is still after the question, unless the Enter key was echoed.
    if (answer === undefined || isHidden) process.stderr.write('\n');
    lines.close();
  }
}

async function createNullStream(): Promise<NodeJS.WritableStream> {
  const { Writable } = await import('node:stream');
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
