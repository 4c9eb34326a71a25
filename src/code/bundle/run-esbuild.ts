/** Runs esbuild within limits of time and memory. One process serves all builds. */
import { withProcessLimits } from './limited-spawn.ts';
import { MAX_MEMORY_MIB, MAX_SECONDS } from './limits.ts';
import { BundleError } from './messages.ts';

interface Esbuild {
  transform(text: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Builds that failed because another one ended the process run again, one after the other. */
let queue: Promise<unknown> = Promise.resolve();

/** Other builds may end the process repeatedly. */
const MAX_RUNS = 3;

/** More would not be faster, and would use up each other's time limits. */
const MAX_CONCURRENT = 4;
const waitingForSlot: (() => void)[] = [];

/** Running and started builds, to detect that a build ran alone, and so ended the process itself. */
let [running, started] = [0, 0];

interface SharedLimit {
  /** When the time ends that is left for all builds after one has used up its own. */
  end: number;
  /** When the last build ended. */
  last: number;
}

const sharedLimits = new WeakMap<Esbuild, SharedLimit>();
/** After this pause without a build, the next one belongs to another run. */
const PAUSE_MS = 5000;

interface LimitOptions {
  seconds?: number;
  /** Whether esbuild cannot be started; then its exit was not caused by its memory limit. */
  isBroken?: () => boolean;
}

/** Runs `work`, which uses esbuild. Also throws BundleError if esbuild exceeds its limit of time or memory. */
export async function withBuildLimits<T>(
  esbuild: Esbuild,
  work: () => Promise<T>,
  { seconds = MAX_SECONDS, isBroken = () => false }: LimitOptions = {},
): Promise<T> {
  let wasAlone = false;
  const run = async () => {
    while (running >= MAX_CONCURRENT) await new Promise<void>((go) => waitingForSlot.push(go));
    const [others, number] = [running++, ++started];
    try {
      return await withTimeLimit(esbuild, work, seconds);
    } finally {
      running--;
      waitingForSlot.shift()?.();
      wasAlone = others === 0 && number === started;
    }
  };
  for (let runs = 1; ; runs++) {
    try {
      return await (runs === 1 ? run() : enqueue(() => restart(esbuild).then(run)));
    } catch (error) {
      // At first, earlier builds may have used up the memory, or something killed the process.
      const mayBeTransient = runs === 1 || !wasAlone || wasStoppedBefore(error);
      const shouldRetry = isServiceStopped(error) && runs < MAX_RUNS && mayBeTransient;
      if (!shouldRetry) throw isServiceStopped(error) && !isBroken() ? createMemoryError() : error;
    }
  }
}

const createMemoryError = () =>
  new BundleError(
    `cannot bundle the code: esbuild needs more than ${MAX_MEMORY_MIB} MiB of memory for it`,
    'Check for code that is nested very deep, or is very large.',
  );

/** esbuild does not notice the end of its process; after `stop`, it starts another. */
async function restart(esbuild: Esbuild): Promise<void> {
  await withProcessLimits(() => esbuild.transform('')).catch(() => esbuild.stop());
}

function enqueue<T>(run: () => Promise<T>): Promise<T> {
  const result = queue.then(run);
  queue = result.catch(() => undefined);
  return result;
}

const isServiceStopped = (error: unknown) =>
  !(error instanceof BundleError) && /^The service (was|is no) /.test(getMessage(error));

/** Whether the process had already ended. */
const wasStoppedBefore = (error: unknown) => getMessage(error).startsWith('The service is no longer running');

const getMessage = (error: unknown) => String((error as Error | undefined)?.message);

/** Rejects the running builds, because esbuild does not settle their promises when it is stopped. */
const rejecters = new Set<(error: Error) => void>();

function withTimeLimit<T>(esbuild: Esbuild, work: () => Promise<T>, seconds: number): Promise<T> {
  const now = performance.now();
  const known = sharedLimits.get(esbuild);
  const isNewRun = !known || (now - known.last > PAUSE_MS && rejecters.size === 0);
  const limit = isNewRun ? { end: Number.POSITIVE_INFINITY, last: now } : known;
  sharedLimits.set(esbuild, limit);
  const [own, shared] = [seconds * 1000, limit.end - now];
  return new Promise((done, fail) => {
    const onTimeout = () => {
      const time = shared < own ? `the ${seconds} seconds that are left for all folders` : `${seconds} seconds`;
      fail(new BundleError(`cannot bundle the code: esbuild did not finish within ${time}`, TIME_FIX));
      limit.last = performance.now();
      limit.end = Math.min(limit.end, limit.last + own);
      if (!rejecters.delete(fail)) return;
      void esbuild.stop();
      for (const reject of rejecters) reject(new Error('The service was stopped'));
    };
    if (shared <= 0) return onTimeout();
    const timer = setTimeout(onTimeout, Math.min(own, shared));
    rejecters.add(fail);
    work()
      .then(done, fail)
      .finally(() => {
        rejecters.delete(fail);
        clearTimeout(timer);
        limit.last = performance.now();
      });
  });
}

const TIME_FIX = 'Check for very many imports, or settings with very many patterns.';
