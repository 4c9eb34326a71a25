/** Spares short commands the optimising of undici's WebAssembly parser, which takes longer than their requests. */
import { changeV8 } from '../v8-flags.ts';

const PLAIN = {
  wanted: ['--liftoff-only'],
  // All three, since the flag above turns the others off.
  usual: ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'],
};

/**
 * Runs the first exchange of a process, for which undici makes its parser. Without this Node waits at its end until V8
 * has optimised the parser.
 */
export async function withPlainParser<T>(exchange: () => Promise<T>): Promise<T> {
  const asUsual = changeV8(PLAIN);
  try {
    return await exchange();
  } finally {
    asUsual();
  }
}
