/** Which bodies of a large tree are kept from the check until they are sent, so that most need not be read again. */
import { type Known, printsOf } from '../../content.ts';
import type { FormulaBody } from '../../model.ts';

/** Keeps bodies as long as their codes and icons have no more than so many characters in all; of others, the prints. */
export function keepWithin(characters: number): (body: FormulaBody) => Known {
  let left = characters;
  return (body) => {
    const length = body.code.length + (body.icon?.length ?? 0);
    if (length > left) return { prints: printsOf(body) };
    left -= length;
    return { body };
  };
}
