/** A host made of strings, for running commands in this process. */
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { RawHost as Outside } from '../../src/host/host.ts';
import { processIdentity } from '../../src/host/process-identity.ts';
import { main } from '../../src/main.ts';
import { folderWith } from './folders.ts';

export interface HostOptions {
  cwd?: string;
  env?: Record<string, string>;
  home?: string | undefined;
  stdin?: string | Buffer;
  /** Replies to prompts, or what happens before them, in order; if set, the host has a terminal. */
  answers?: (string | (() => Promise<string>))[];
  /** Lines typed where they are not shown, in order; given at all, standard input is a terminal. */
  typed?: string[];
  /** Width of a terminal that stdout is; else it is a pipe. */
  columns?: number;
  /** The system that messages are written for; else one without a name. */
  platform?: string;
  /** The user whose permissions the tool has (default: those of this process). */
  user?: number;
  /** Whose groups; likewise. */
  groups?: readonly number[];
  /** Resolves when the command is to be stopped. */
  stop?: Promise<'SIGINT' | 'SIGTERM'>;
  stopping?: AbortSignal;
}

export interface RunResult {
  code: number;
  out: string;
  err: string;
}

/** Runs one command line and collects what it wrote. */
export async function run(argv: readonly string[], hostOptions: HostOptions = {}): Promise<RunResult> {
  const { host, texts } = testHost({ ...hostOptions, env: { XDG_STATE_HOME: folderWith(), ...hostOptions.env } });
  const code = await main(argv, host);
  return { code, out: texts.out, err: texts.err };
}

/** Starts a command that runs until it is stopped, at the end of the test at the latest; `stop` gives its exit code. */
export function startCommand(argv: readonly string[], hostOptions: HostOptions = {}) {
  const stopping = new AbortController();
  const { host, texts } = testHost({ ...hostOptions, stopping: stopping.signal });
  const ended = main(argv, host);
  const stop = () => {
    stopping.abort('SIGINT');
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { texts, stop };
}

/** Matches an output by a part of it; the empty string, only itself. */
const like = (part: string | RegExp) => {
  if (part === '') return '';
  return typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part);
};

/** What a command ends with. */
export const exitsWith = (code: number, err: string | RegExp, out?: string | RegExp) => ({
  code,
  err: like(err),
  ...(out !== undefined && { out: like(out) }),
});

/** Expects what a command ended with. */
export function expectExit(ended: Partial<RunResult>, ...texts: Parameters<typeof exitsWith>): void {
  expect(ended).toMatchObject(exitsWith(...texts));
}

/** Aborted when the promise resolves. */
function toAbortSignal(stop: HostOptions['stop']): AbortSignal {
  const controller = new AbortController();
  stop?.then((signal) => controller.abort(signal));
  return controller.signal;
}

export function testHost(hostOptions: HostOptions): { host: Outside; texts: { out: string; err: string } } {
  const texts = { out: '', err: '' };
  const answers = [...(hostOptions.answers ?? [])];
  const giveAnswer = async () => {
    const answer = answers.shift();
    return typeof answer === 'function' ? answer() : answer;
  };
  const typed = [...(hostOptions.typed ?? [])];
  const isTerminal = hostOptions.columns !== undefined;
  const createStream = (name: 'out' | 'err') => ({
    write: (text: string) => {
      texts[name] += text;
    },
    isTerminal,
    hasColor: false,
    columns: hostOptions.columns ?? 80,
  });
  const host: Outside = {
    cwd: () => hostOptions.cwd ?? '/',
    env: hostOptions.env ?? {},
    home: hostOptions.home,
    stdout: createStream('out'),
    stderr: createStream('err'),
    readStdin: async () => Buffer.from(hostOptions.stdin ?? ''),
    stdinIsTerminal: hostOptions.answers !== undefined || hostOptions.typed !== undefined,
    canAsk: hostOptions.answers !== undefined,
    ask: async (question) => {
      texts.err += question;
      return giveAnswer();
    },
    askHidden: async (question) => {
      texts.err += question;
      return typed.shift();
    },
    canDrawPrompt: false,
    prompt: async ({ initial }) => (await giveAnswer()) ?? initial,
    now: () => new Date(),
    // Not at once, so that the signal of a command that waits can abort.
    sleep: async () => void (await setImmediate()),
    runEvery: () => () => undefined,
    abortSignal: hostOptions.stopping ?? toAbortSignal(hostOptions.stop),
    installSignalHandlers: () => true,
    ...processIdentity,
    platform: hostOptions.platform ?? 'test',
    nodeVersion: '20.19.0',
    userId: hostOptions.user ?? process.geteuid?.(),
    groupIds: hostOptions.groups ?? process.getgroups?.() ?? [],
    nodePath: process.execPath,
  };
  return { host, texts };
}
