/** Runs esbuild within limits of time and memory. One process serves all builds. */
import { isEsbuildBroken } from './esbuild.ts';
import { withProcessLimits } from './limited-spawn.ts';
import { MAX_MEMORY_MIB, MAX_SECONDS } from './limits.ts';
import { BundleError } from './messages.ts';

interface Esbuild {
  transform(text: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** More would not be faster, and would use up each other's time limits. */
const MAX_CONCURRENT = 8;
/** Running builds, and those that run again: alone, because another one may have ended the process. */
let [running, repeating] = [0, 0];
const waiting: (() => void)[] = [];

interface SharedLimit {
  /** When the time ends that is left for all builds after one has used up its own. */
  end: number;
  /** When the last build ended. */
  last: number;
}

const sharedLimits = new WeakMap<Esbuild, SharedLimit>();
/** After this pause without a build, the next one belongs to another run. */
const PAUSE_MS = 5000;

/** Runs `work`, which uses esbuild. Also throws BundleError if esbuild exceeds its limit of time or memory. */
export async function withBuildLimits<T>(esbuild: Esbuild, work: () => Promise<T>, seconds = MAX_SECONDS): Promise<T> {
  const run = () => withTimeLimit(esbuild, work, seconds);
  try {
    return await whenFree(run);
  } catch (error) {
    if (!isServiceStopped(error)) throw error;
  }
  repeating++;
  try {
    return await whenFree(() => restart(esbuild).then(run));
  } catch (error) {
    // The memory limit ends only what could be started.
    throw isServiceStopped(error) && !isEsbuildBroken() ? createMemoryError() : error;
  } finally {
    repeating--;
  }
}

async function whenFree<T>(run: () => Promise<T>): Promise<T> {
  while (running >= (repeating > 0 ? 1 : MAX_CONCURRENT)) await new Promise<void>((go) => waiting.push(go));
  running++;
  try {
    return await run();
  } finally {
    running--;
    for (const go of waiting.splice(0)) go();
  }
}

const createMemoryError = () =>
  new BundleError(`cannot bundle the code: esbuild needs more than ${MAX_MEMORY_MIB} MiB of memory for it`, {
    fix: 'Check for code that is nested very deep, or is very large.',
  });

/** esbuild does not notice the end of its process; after `stop`, it starts another. */
async function restart(esbuild: Esbuild): Promise<void> {
  await withProcessLimits(() => esbuild.transform('')).catch(() => esbuild.stop());
}

const isServiceStopped = (error: unknown) => error instanceof Error && /^The service (was|is no) /.test(error.message);

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
      fail(new BundleError(`cannot bundle the code: esbuild did not finish within ${time}`, { fix: TIME_FIX }));
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
