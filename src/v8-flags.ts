/** Settings of V8 that are changed for a while. */
import { setFlagsFromString } from 'node:v8';

/** What is wanted for a while, and what V8 starts with: it does not tell. */
export interface V8Setting {
  wanted: readonly string[];
  usual: readonly string[];
}

/**
 * Changes settings, and gives what takes that back. It has to be called: what V8 keeps of code, for the next start, holds
 * for the settings that it was made under.
 */
export function changeV8({ wanted, usual }: V8Setting): () => void {
  wanted.forEach(setFlagsFromString);
  return () => usual.forEach(setFlagsFromString);
}
