/** Which bodies of a large tree are kept from the check until they are sent, so that most need not be read again. */
import { type Known, printsOf } from '../formula-content.ts';
import type { Content } from './check-folder.ts';
import type { Stamp } from './stat-signature.ts';

/**
 * Keeps bodies as long as their codes and icons have no more than so many characters in all, with the stamps that tell
 * whether they are still good; of others, the prints.
 */
export function keepWithin(
  characters: number,
): (content: Pick<Content, 'body' | 'stamp'>) => Known & { stamp?: Stamp } {
  let left = characters;
  return ({ body, stamp }) => {
    const length = body.code.length + (body.icon?.length ?? 0);
    if (!stamp || length > left) return { prints: printsOf(body) };
    left -= length;
    return { body, stamp };
  };
}
