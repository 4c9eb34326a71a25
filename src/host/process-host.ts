/** The host of the real process, with process-identity.ts and streams.ts the only user of `process`. */
import { SIGNAL_CODES } from '../errors.ts';
import { type Host, KEY_VARIABLES, type World } from './host.ts';
import { processMarks } from './process-identity.ts';
import { ask, isTerminal, readStdin, sink } from './streams.ts';

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

/** The real world. What takes time to learn is learned when it is asked for. */
export function processHost(): World {
  const stop = stopBySignals();
  const env = takenEnvironment();
  return {
    cwd: () => process.cwd(),
    env,
    get home() {
      return homeFolder();
    },
    stdout: sink('stdout', env),
    stderr: sink('stderr', env),
    readStdin,
    get canAsk() {
      return isTerminal('stdin') && isTerminal('stderr');
    },
    get stdinIsTerminal() {
      return isTerminal('stdin');
    },
    ask: (question, canMoveCursor) => ask(question, { isHidden: false, canMoveCursor }, stop.stopping),
    askHidden: (question) => ask(question, { isHidden: true, canMoveCursor: true }, stop.stopping),
    get canDraw() {
      return isTerminal('stderr') && Boolean(process.stderr.columns);
    },
    prompt: async (question) => {
      const { drawn } = await import('./terminal-prompt.ts');
      return drawn(question, { input: process.stdin, output: process.stderr, signal: stop.stopping });
    },
    now: () => new Date(),
    sleep,
    repeat: (milliseconds, work) => {
      const timer = setInterval(work, milliseconds).unref();
      return () => clearInterval(timer);
    },
    ...stop,
    stopSignal: () =>
      new Promise((done) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(signal));
      }),
    ...processMarks,
    platform: process.platform,
    nodeVersion: process.versions.node,
    user: process.geteuid?.(),
    get groups() {
      return [...(process.getgroups?.() ?? []), ...(process.getegid ? [process.getegid()] : [])];
    },
    nodePath: process.execPath,
  };
}

function homeFolder(): string | undefined {
  try {
    const home = process.getBuiltinModule('node:os').homedir();
    // A relative one would be another folder for each working folder.
    return process.getBuiltinModule('node:path').isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
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
