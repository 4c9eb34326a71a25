/** JSON with nothing wrong in it, told without its tree: that takes many times as long to make as the value. */

/** The value of a text; undefined where that is no JSON. */
export function tryParseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** No manifest is as long, and the pattern below runs out of stack in texts of many millions. */
const MAX_LENGTH = 1_000_000;
const STRINGS = /"(?:[^"\\]+|\\.)*"/g;

/** The value of a text without a key that stands twice, no deeper than so much; undefined where that takes a closer look. */
export function tryParseCleanJson(text: string, maxDepth: number): { json: unknown } | undefined {
  const value = text.length > MAX_LENGTH ? undefined : tryParseJson(text);
  if (!value) return undefined;
  const punctuation = text.replace(STRINGS, '');
  const count = (mark: RegExp) => punctuation.match(mark)?.length ?? 0;
  // Of two equal keys the value has one.
  return count(/[[{]/g) <= maxDepth && count(/:/g) === countKeys(value.json) ? value : undefined;
}

/** How many keys the objects in a value have, at any depth. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value);
  return inside.reduce((sum: number, one) => sum + countKeys(one), Array.isArray(value) ? 0 : inside.length);
}
