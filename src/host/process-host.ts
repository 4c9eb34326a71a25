/** The host of the real process. */
import { attempt, SIGNAL_EXIT_CODES } from '../errors.ts';
import { type Host, KEY_VARIABLES, type RawHost } from './host.ts';
import { processIdentity } from './process-identity.ts';
import { ask, isTerminal, openOutputStream, readStdin } from './streams.ts';

/** Variables that may contain a secret; child processes do not need them. */
const SECRET_VARIABLE = new RegExp(`^(${KEY_VARIABLES.join('|')}|(https?|all)_proxy)$`, 'i');

/**
 * A copy of the environment. Secrets are removed from `process.env`, so that child processes and diagnostic reports of
 * Node.js do not contain them.
 */
function captureEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of Object.keys(env)) if (SECRET_VARIABLE.test(name)) delete process.env[name];
  return env;
}

/** The host of the real process; slow properties are getters. */
export function processHost(): RawHost {
  const signals = createSignalHandling();
  const env = captureEnvironment();
  return {
    cwd: () => process.cwd(),
    env,
    get home() {
      return findHomeFolder();
    },
    stdout: openOutputStream('stdout', env),
    stderr: openOutputStream('stderr', env),
    readStdin,
    get canAsk() {
      return isTerminal('stdin') && isTerminal('stderr');
    },
    get stdinIsTerminal() {
      return isTerminal('stdin');
    },
    ask: (question, canMoveCursor) => ask(question, { isHidden: false, canMoveCursor }, signals.abortSignal),
    askHidden: (question) => ask(question, { isHidden: true, canMoveCursor: true }, signals.abortSignal),
    get canDrawPrompt() {
      return isTerminal('stderr') && Boolean(process.stderr.columns);
    },
    prompt: async (question) => {
      const { promptOnTerminal } = await import('./terminal-prompt.ts');
      return promptOnTerminal(question, { input: process.stdin, output: process.stderr, signal: signals.abortSignal });
    },
    now: () => new Date(),
    sleep,
    runEvery: (milliseconds, work) => {
      const timer = setInterval(work, milliseconds).unref();
      return () => clearInterval(timer);
    },
    ...signals,
    ...processIdentity,
    platform: process.platform,
    nodeVersion: process.versions.node,
    userId: process.geteuid?.(),
    get groupIds() {
      return [...(process.getgroups?.() ?? []), ...(process.getegid ? [process.getegid()] : [])];
    },
    nodePath: process.execPath,
  };
}

function findHomeFolder(): string | undefined {
  const home = attempt(() => process.getBuiltinModule('node:os').homedir());
  // A relative path would depend on the current folder.
  return home !== undefined && process.getBuiltinModule('node:path').isAbsolute(home) ? home : undefined;
}

async function sleep(milliseconds: number, until?: AbortSignal): Promise<void> {
  const { setTimeout: delay } = await import('node:timers/promises');
  await delay(milliseconds, undefined, until && { signal: until }).catch(() => undefined);
}

/** Handlers are installed on request: they would keep a signal from ending synchronous work. */
function createSignalHandling(): Pick<Host, 'abortSignal' | 'installSignalHandlers'> {
  const controller = new AbortController();
  let isInstalled = false;
  return {
    abortSignal: controller.signal,
    installSignalHandlers: () => {
      if (isInstalled) return false;
      isInstalled = true;
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.on(signal, () => {
          if (controller.signal.aborted) process.exit(SIGNAL_EXIT_CODES[signal]);
          controller.abort(signal);
        });
      }
      return true;
    },
  };
}
