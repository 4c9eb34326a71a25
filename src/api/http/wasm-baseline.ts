/** Disables TurboFan for undici's WebAssembly parser: Node.js waits for its compilation at exit, longer than a request takes. */

/** Node.js majors that have the flags (each is tested); V8 prints an error for an unknown flag. */
const SUPPORTED_MAJORS: readonly number[] = [20, 22, 24, 26];

const LIFTOFF_ONLY = ['--liftoff-only'];
/** --liftoff-only turns the other two off. */
const DEFAULT_FLAGS = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'];

/** Runs an exchange, the first of which compiles undici's parser. */
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
