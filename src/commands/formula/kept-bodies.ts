/** Which bodies of a large tree are kept from the check until they are sent, so that most need not be read again. */
import type { FormulaBody } from '../../model.ts';

/** Gives bodies back as long as their codes and icons have no more than so many characters in all. */
export function keepWithin(characters: number): (body: FormulaBody) => FormulaBody | undefined {
  let left = characters;
  return (body) => {
    const length = body.code.length + (body.icon?.length ?? 0);
    if (length > left) return undefined;
    left -= length;
    return body;
  };
}
