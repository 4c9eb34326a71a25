/** Keeps request bodies in memory from the check until they are sent. */
import { type BodyOrHashes, hashFields } from '../formula-content.ts';
import type { CheckedContent } from './check-folder.ts';
import type { StatSignature } from './stat-signature.ts';

/**
 * Keeps bodies, with the signatures to detect changes, up to a total number of characters of code and icons; of further
 * ones it keeps the hashes of the fields.
 */
export function createBoundedBodyCache(
  maxCharacters: number,
): (content: Pick<CheckedContent, 'body' | 'statSignature'>) => BodyOrHashes & { statSignature?: StatSignature } {
  let left = maxCharacters;
  return ({ body, statSignature }) => {
    const length = body.code.length + (body.icon?.length ?? 0);
    if (!statSignature || length > left) return { hashes: hashFields(body) };
    left -= length;
    return { body, statSignature };
  };
}
