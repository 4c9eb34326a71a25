/** Keeps V8 from optimizing undici's WebAssembly parser: Node.js waits for that at its end, longer than for a request. */

/** Node.js majors on which the flags print nothing; a test runs each. V8 prints an error for a flag that it does not have. */
const SUPPORTED_MAJORS: readonly number[] = [20, 22, 24, 26];

const LIFTOFF_ONLY = ['--liftoff-only'];
/** The flag above turns the other two off. */
const DEFAULT_FLAGS = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'];

/** Runs the first exchange of a process, for which undici compiles its parser. */
export async function withLiftoffOnly<T>(nodeVersion: string, exchange: () => Promise<T>): Promise<T> {
  if (!SUPPORTED_MAJORS.includes(Number.parseInt(nodeVersion, 10))) return exchange();
  const { setFlagsFromString } = await import('node:v8');
  LIFTOFF_ONLY.forEach(setFlagsFromString);
  try {
    return await exchange();
  } finally {
    DEFAULT_FLAGS.forEach(setFlagsFromString);
  }
}
