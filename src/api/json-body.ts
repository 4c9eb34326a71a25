/** JSON of a service, which may be anything: parsed without ever failing, and no deeper than the rest of the tool can bear. */

/** Deeper values overflow the stack when they are printed. */
const MAX_DEPTH = 500;

/** The value of a JSON text, or what is wrong with it, in words. */
export function parseBody(text: string): { value: unknown } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? { problem: `the answer is nested deeper than ${MAX_DEPTH} levels` } : { value };
  } catch {
    return { problem: 'the answer is not JSON, or was cut off' };
  }
}

/** Level by level, since recursion is what such a value is made to break. */
function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
