/** Runs esbuild, which is a process of its own that ends with this one, and for no longer than a limit. */
import { setTimeout } from 'node:timers';
import { MAX_SECONDS } from './limits.ts';
import { Refusal } from './refusal.ts';

interface Esbuild {
  stop(): Promise<void>;
}

/** How often the process was ended because a build took too long: others that it worked on begin again. */
let stops = 0;

/** Throws what `work` throws, and Refusal when the time is over. */
export async function withTimeLimit<T>(esbuild: Esbuild, work: () => Promise<T>, seconds = MAX_SECONDS): Promise<T> {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    stops++;
    void esbuild.stop();
  }, seconds * 1000);
  try {
    for (;;) {
      const stopsBefore = stops;
      try {
        return await work();
      } catch (error) {
        if (isOver) throw new Refusal(`cannot bundle the code: esbuild did not finish within ${seconds} seconds`);
        if (stops === stopsBefore) throw error;
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
