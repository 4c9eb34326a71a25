/** Runs esbuild, which is one process for all bundles and ends with this one, within limits of time and memory. */

import { BundleError } from './bundle-error.ts';
import { withProcessLimits } from './limited-spawn.ts';
import { MAX_MEMORY_MIB, MAX_SECONDS } from './limits.ts';

interface Esbuild {
  transform(text: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** A build that was lost because another one ended the process begins again, after those that did before. */
let queue: Promise<unknown> = Promise.resolve();

/** How often it begins again: another build may end the process once more. */
const MAX_RUNS = 3;

/** More at once would not be faster, and each would need more of its time to wait for the others. */
const MAX_CONCURRENT = 4;
const waitingForSlot: (() => void)[] = [];

/** Builds that are running, and that were ever begun: one that ran alone ended the process itself. */
let [running, begun] = [0, 0];

interface LimitOptions {
  seconds?: number;
  /** Whether the program itself does not run; then its end is not for want of memory. */
  isBroken?: () => boolean;
}

/**
 * `work` runs esbuild. Throws what it throws, and Refusal where the time is over or esbuild ended, as it does at its
 * memory limit.
 */
export async function withBuildLimits<T>(
  esbuild: Esbuild,
  work: () => Promise<T>,
  { seconds = MAX_SECONDS, isBroken = () => false }: LimitOptions = {},
): Promise<T> {
  let wasAlone = false;
  const run = async () => {
    while (running >= MAX_CONCURRENT) await new Promise<void>((go) => waitingForSlot.push(go));
    const [others, number] = [running++, ++begun];
    try {
      return await withTimeLimit(esbuild, work, seconds);
    } finally {
      running--;
      waitingForSlot.shift()?.();
      wasAlone = others === 0 && number === begun;
    }
  };
  for (let runs = 1; ; runs++) {
    try {
      return await (runs === 1 ? run() : enqueue(() => restart(esbuild).then(run)));
    } catch (error) {
      // The first time, the memory that builds before it took may be the cause, or a process that was killed.
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

/** esbuild does not notice by itself that its process ended; when it is told to stop, it starts another. */
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

/** The process had ended before. */
const wasStoppedBefore = (error: unknown) => getMessage(error).startsWith('The service is no longer running');

const getMessage = (error: unknown) => String((error as Error | undefined)?.message);

/** What ends the wait of each running build: esbuild does not settle its promises when it is stopped. */
const rejecters = new Set<(error: Error) => void>();

function withTimeLimit<T>(esbuild: Esbuild, work: () => Promise<T>, seconds: number): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      fail(new BundleError(`cannot bundle the code: esbuild did not finish within ${seconds} seconds`));
      rejecters.delete(fail);
      void esbuild.stop();
      for (const lose of rejecters) lose(new Error('The service was stopped'));
    }, seconds * 1000);
    rejecters.add(fail);
    work()
      .then(done, fail)
      .finally(() => {
        rejecters.delete(fail);
        clearTimeout(timer);
      });
  });
}
