/** The world outside as a value: working folder, environment, streams, clock and signals. The only user of `process`. */
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { CliError, SIGNAL_CODES } from './errors.ts';

/** A stream that text goes to; `columns` is set on a terminal only. */
export interface Sink {
  write(text: string): void;
  isTerminal: boolean;
  hasColour: boolean;
  columns: number;
}

/** A stream whose text is guarded: what is to be hidden is hidden in all that is written. */
export interface GuardedSink extends Sink {
  /** Writes the content of a formula, which is kept byte for byte unless a secret stands in it beyond doubt. */
  writeContent(text: string): void;
  /** Hides what is to be hidden, for a text that will be cut before it is written. */
  hide(text: string): string;
}

/** Takes secrets out of a text; `isContent`: only those that stand in it beyond doubt. */
export type Filter = (text: string, isContent?: boolean) => string;

export interface Host {
  /** The working folder; throws the file system's error when it is gone. */
  cwd(): string;
  env: Readonly<Record<string, string | undefined>>;
  /** The home folder, or undefined where there is none. */
  home: string | undefined;
  stdout: GuardedSink;
  stderr: GuardedSink;
  /** All of standard input as text. */
  readStdin(): Promise<string>;
  stdinIsTerminal: boolean;
  /** True where a person can be asked. */
  canAsk: boolean;
  /** Asks on stderr and waits for a line; undefined when the input ends first. Sends escape sequences only if `canMoveCursor`. */
  ask(question: string, canMoveCursor: boolean): Promise<string | undefined>;
  /** The same without showing what is typed, which needs a terminal as standard input. */
  askHidden(question: string): Promise<string | undefined>;
  now(): Date;
  /** Waits, at most until the signal, where one is given. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /**
   * Aborted, with the signal's name as its reason, by the first SIGINT or SIGTERM after `catchSignals`: what waits
   * ends its wait, no request is begun any more, and those in flight are waited for.
   */
  stopping: AbortSignal;
  /**
   * From now on the first signal aborts `stopping`, and the second ends the process; before, any signal ends it.
   * False when this was said already.
   */
  catchSignals(): boolean;
  /** Resolves with the name of the first SIGINT or SIGTERM that comes after the call. */
  stopSignal(): Promise<'SIGINT' | 'SIGTERM'>;
  /** Names this process for others of this machine, as `pid start-time machine`. */
  mark(): string;
  /** Whether the process of a mark may still be running; one of another machine may. */
  isRunning(mark: string): boolean;
  platform: string;
  nodeVersion: string;
  /** Id of the user whose rights this process has; undefined where there is no such thing. */
  user: number | undefined;
  /** The path of the Node.js that runs the tool. */
  nodePath: string;
  /** What the filters of `hide` leave of a text; for what is written elsewhere than to the streams. */
  hidden: Filter;
  /** From now on all that is written goes through this filter too. */
  hide(filter: Filter): void;
}

/** The world before it is guarded. */
export type World = Omit<Host, 'hide' | 'hidden' | 'stdout' | 'stderr'> & { stdout: Sink; stderr: Sink };

/** The last filter on all output: whatever a command writes goes through what it asked to hide. */
export function guardedHost(world: World): Host {
  const filters: Filter[] = [];
  const hidden = (text: string, isContent?: boolean) =>
    filters.reduce((shown, filter) => filter(shown, isContent), text);
  const guarded = (stream: Sink): GuardedSink => ({
    ...stream,
    write: (text) => stream.write(hidden(text)),
    writeContent: (text) => stream.write(hidden(text, true)),
    hide: hidden,
  });
  return {
    ...world,
    stdout: guarded(world.stdout),
    stderr: guarded(world.stderr),
    hidden,
    hide: (filter) => filters.push(filter),
  };
}

/** The variables that hold keys. */
export const KEY_VARIABLES = ['FORMULARY_API_KEY', 'FORMULARY_SERVICE_KEY'] as const;

/** Variables that may hold a secret, and that no process needs that the tool starts. */
const SECRET_VARIABLE = new RegExp(`^(${KEY_VARIABLES.join('|')}|(https?|all)_proxy)$`, 'i');

/**
 * The environment as it was. Its secrets are taken out of the one of this process: so those that it starts do not have
 * them, nor do the diagnostic reports of Node.js.
 */
function takenEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of Object.keys(env)) if (SECRET_VARIABLE.test(name)) delete process.env[name];
  return env;
}

/** The real world. A stream that was closed early (`| head`) takes no more text, and that is no error. */
export function processHost(): World {
  const stop = stopBySignals();
  const env = takenEnvironment();
  return {
    cwd: () => process.cwd(),
    env,
    home: homeFolder(),
    stdout: sink(process.stdout, env),
    stderr: sink(process.stderr, env),
    readStdin,
    canAsk: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    stdinIsTerminal: Boolean(process.stdin.isTTY),
    ask: (question, canMoveCursor) => ask(question, { isHidden: false, canMoveCursor }, stop.stopping),
    askHidden: (question) => ask(question, { isHidden: true, canMoveCursor: true }, stop.stopping),
    now: () => new Date(),
    sleep,
    ...stop,
    stopSignal: () =>
      new Promise((done) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(signal));
      }),
    ...processMarks,
    platform: process.platform,
    nodeVersion: process.versions.node,
    user: process.geteuid?.(),
    nodePath: process.execPath,
  };
}

/** When a running process started, in ticks since this machine did, which tells it from a later one of the same id. */
function startOf(pid: number): string | undefined {
  try {
    // The program's name, in brackets, may hold anything; after it come the state and, as the 20th field, the start.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? 'over' : fields[19];
  } catch {
    return undefined;
  }
}

/** How processes of one machine know of one another; for the real world, and for worlds made by tests. */
export const processMarks: Pick<Host, 'mark' | 'isRunning'> = {
  mark: () => `${process.pid} ${startOf(process.pid) ?? '?'} ${hostname()}`,
  isRunning: (mark) => {
    const [pid = '', start = '?', ...machine] = mark.split(' ');
    if (machine.join(' ') !== hostname()) return true;
    try {
      process.kill(Number(pid), 0);
    } catch (error) {
      // Not allowed to send it a signal: it is there.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
    }
    return start === '?' || start === (startOf(Number(pid)) ?? start);
  },
};

function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

function sink(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Sink {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isOpen = false;
    if (error.code === 'EPIPE' || error.code === 'EBADF') return;
    // A full disk, say: what was done stays done, but the answer is lost.
    if (stream === process.stdout) process.stderr.write(`error: the answer could not be written (${error.code})\n`);
    process.exitCode = 1;
  });
  return {
    write: (text) => {
      if (isOpen) stream.write(text);
    },
    isTerminal: Boolean(stream.isTTY),
    hasColour: hasColour(Boolean(stream.isTTY), env),
    columns: stream.columns || 80,
  };
}

/** Colour is for terminals, unless NO_COLOR or TERM=dumb say no; FORCE_COLOR says yes anywhere. */
export function hasColour(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true;
  return isTerminal && env['TERM'] !== 'dumb' && env['FORCE_COLOR'] !== '0';
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function sleep(milliseconds: number, until?: AbortSignal): Promise<void> {
  const { setTimeout: delay } = await import('node:timers/promises');
  await delay(milliseconds, undefined, until && { signal: until }).catch(() => undefined);
}

/** Not caught from the start: work that never waits could not be ended then. */
function stopBySignals(): Pick<Host, 'stopping' | 'catchSignals'> {
  const controller = new AbortController();
  let isCatching = false;
  return {
    stopping: controller.signal,
    catchSignals: () => {
      if (isCatching) return false;
      isCatching = true;
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.on(signal, () => {
          if (controller.signal.aborted) process.exit(SIGNAL_CODES[signal]);
          controller.abort(signal);
        });
      }
      return true;
    },
  };
}

/** Asks with the question and what is typed on the screen, or with the question alone. */
async function ask(
  question: string,
  { isHidden, canMoveCursor }: { isHidden: boolean; canMoveCursor: boolean },
  stopping: AbortSignal,
): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises');
  // In terminal mode readline has the terminal stop its own echo, and gives it back when it is closed, after Ctrl-C too.
  const lines = createInterface({
    input: process.stdin,
    output: isHidden ? await nowhere() : process.stderr,
    terminal: canMoveCursor,
    historySize: 0,
  });
  const ended = new Promise<undefined>((done) => lines.once('close', () => done(undefined)));
  const interrupted = new Promise<never>((_, fail) => {
    const end = () => fail(new CliError('interrupted', 'interrupted'));
    lines.once('SIGINT', end);
    stopping.addEventListener('abort', end, { once: true });
  });
  if (isHidden) process.stderr.write(question);
  let answer: string | undefined;
  try {
    answer = await Promise.race([lines.question(isHidden ? '' : question), ended, interrupted]);
    return answer;
  } finally {
    // The cursor still stands behind the question, unless the Enter of an answer was shown.
    if (answer === undefined || isHidden) process.stderr.write('\n');
    lines.close();
  }
}

async function nowhere(): Promise<NodeJS.WritableStream> {
  const { Writable } = await import('node:stream');
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
