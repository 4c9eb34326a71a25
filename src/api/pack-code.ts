/** Stores the code of listed formulas outside of the heap: together it may be half a gigabyte. Pure. */
import type { Formula } from '../model.ts';

/** Below this, packing costs more than it saves. */
const MIN_LENGTH = 1024;

/**
 * Stores the code as UTF-8 outside of the JavaScript heap, and decodes it at each read: a string takes twice the memory, and
 * counts towards the heap limit. `saved` is the memory saved, in bytes: half of what its JSON was counted as, without
 * escapes, which would take long to count.
 */
export function packCode(formula: Formula): { formula: Formula; saved: number } {
  const { code } = formula;
  // UTF-8 cannot represent an unpaired surrogate.
  if (typeof code !== 'string' || code.length < MIN_LENGTH || !code.isWellFormed()) return { formula, saved: 0 };
  const bytes = Buffer.from(code);
  Object.defineProperty(formula, 'code', { get: () => bytes.toString(), enumerable: true, configurable: true });
  return { formula, saved: bytes.length };
}
