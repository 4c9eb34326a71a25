/** Keeps request bodies in memory from the check until they are sent. */
import { type BodyOrHashes, hashFields } from '../formula-fields.ts';
import type { FormulaBody } from '../model.ts';

/** Keeps bodies up to a total number of characters of code and icons; of further ones, the hashes of their fields. */
export function createBoundedBodyCache(maxCharacters: number): (body: FormulaBody) => BodyOrHashes {
  let left = maxCharacters;
  return (body) => {
    const length = body.code.length + (body.icon?.length ?? 0);
    if (length > left) return { hashes: hashFields(body) };
    left -= length;
    return { body };
  };
}
