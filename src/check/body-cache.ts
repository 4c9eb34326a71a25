/** Which bodies of a large tree are kept from the check until they are sent, so that most need not be read again. */
import { type BodyOrHashes, hashFields } from '../formula-content.ts';
import type { CheckedContent } from './check-folder.ts';
import type { StatSignature } from './stat-signature.ts';

/**
 * Keeps bodies as long as their codes and icons have no more than so many characters in all, with the stamps that tell
 * whether they are still good; of others, the prints.
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
