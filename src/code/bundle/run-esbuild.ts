/** Runs esbuild, which is one process for all bundles and ends with this one, within limits of time and memory. */
import { withLimitedProcess } from './limited-spawn.ts';
import { MAX_MEMORY_MIB, MAX_SECONDS } from './limits.ts';
import { Refusal } from './refusal.ts';

interface Esbuild {
  transform(text: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** A build that was lost because another one ended the process begins again, after those that did before. */
let queue: Promise<unknown> = Promise.resolve();

/** How often it begins again: another build may end the process once more. */
const MAX_RUNS = 3;

/** More at once would not be faster, and each would need more of its time to wait for the others. */
const MAX_AT_ONCE = 4;
const waiting: (() => void)[] = [];

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
export async function withLimits<T>(
  esbuild: Esbuild,
  work: () => Promise<T>,
  { seconds = MAX_SECONDS, isBroken = () => false }: LimitOptions = {},
): Promise<T> {
  let wasAlone = false;
  const run = async () => {
    while (running >= MAX_AT_ONCE) await new Promise<void>((go) => waiting.push(go));
    const [others, number] = [running++, ++begun];
    try {
      return await withTimeLimit(esbuild, work, seconds);
    } finally {
      running--;
      waiting.shift()?.();
      wasAlone = others === 0 && number === begun;
    }
  };
  for (let runs = 1; ; runs++) {
    try {
      return await (runs === 1 ? run() : inQueue(() => revive(esbuild).then(run)));
    } catch (error) {
      // The first time, the memory that builds before it took may be the cause, or a process that was killed.
      const isInDoubt = runs === 1 || !wasAlone || isOld(error);
      const beginsAgain = isEnded(error) && runs < MAX_RUNS && isInDoubt;
      if (!beginsAgain) throw isEnded(error) && !isBroken() ? outOfMemory() : error;
    }
  }
}

const outOfMemory = () =>
  new Refusal(
    `cannot bundle the code: esbuild needs more than ${MAX_MEMORY_MIB} MiB of memory for it`,
    'Check for code that is nested very deep, or is very large.',
  );

/** esbuild does not notice by itself that its process ended; when it is told to stop, it starts another. */
async function revive(esbuild: Esbuild): Promise<void> {
  await withLimitedProcess(() => esbuild.transform('')).catch(() => esbuild.stop());
}

function inQueue<T>(run: () => Promise<T>): Promise<T> {
  const result = queue.then(run);
  queue = result.catch(() => undefined);
  return result;
}

const isEnded = (error: unknown) => !(error instanceof Refusal) && /^The service (was|is no) /.test(messageOf(error));

/** The process had ended before. */
const isOld = (error: unknown) => messageOf(error).startsWith('The service is no longer running');

const messageOf = (error: unknown) => String((error as Error | undefined)?.message);

/** What ends the wait of each running build: esbuild does not settle its promises when it is stopped. */
const waits = new Set<(error: Error) => void>();

function withTimeLimit<T>(esbuild: Esbuild, work: () => Promise<T>, seconds: number): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      fail(new Refusal(`cannot bundle the code: esbuild did not finish within ${seconds} seconds`));
      waits.delete(fail);
      void esbuild.stop();
      for (const lose of waits) lose(new Error('The service was stopped'));
    }, seconds * 1000);
    waits.add(fail);
    work()
      .then(done, fail)
      .finally(() => {
        waits.delete(fail);
        clearTimeout(timer);
      });
  });
}
