/** Spares short commands the optimising of undici's WebAssembly parser, which takes longer than their requests. */
import { setFlagsFromString } from 'node:v8';

const PLAIN = ['--liftoff-only'];
/** What V8 starts with; all three, since the flag above turns the others off. */
const USUAL = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'];

/**
 * Runs the first exchange of a process, for which undici makes its parser. Without this Node waits at its end until V8
 * has optimised the parser. The flags are taken back after it: what V8 keeps of code holds for the flags that it was
 * compiled under.
 */
export async function withPlainParser<T>(exchange: () => Promise<T>): Promise<T> {
  PLAIN.forEach(setFlagsFromString);
  try {
    return await exchange();
  } finally {
    USUAL.forEach(setFlagsFromString);
  }
}
