/** --fields: picks and orders the fields of an answer's items. */
import { type Answer, cellText, type Item, itemsOf, ownValue } from './formats.ts';
import { tabSeparated } from './tsv.ts';

/** The answer with these fields of each item alone, in this order; a field that an item lacks is null. */
export function withFields({ value }: Answer, fields: readonly string[]): Answer {
  const picked = itemsOf(value).map((item) =>
    // A code of a list is decoded only when it is read.
    Object.defineProperties({}, Object.fromEntries(fields.map((field) => [field, propertyOf(item, field)]))),
  );
  const columns = fields.map((field) => ({
    title: field.toUpperCase(),
    cell: (item: Item) => cellText(ownValue(item, field)),
  }));
  return {
    value: Array.isArray(value)
      ? picked
      : itemsOf(value)[0] === value
        ? picked[0]
        : { ...(value as object), items: picked },
    table: async ({ isTerminal, columns: width, hide }) => {
      if (!isTerminal) return tabSeparated(picked, columns);
      const { aligned } = await import('./table.ts');
      return aligned(picked, columns, width, { hide });
    },
  };
}

const propertyOf = (item: Item, field: string): PropertyDescriptor => {
  const own = Object.getOwnPropertyDescriptor(item, field);
  return own?.get ? own : { value: own?.value ?? null, enumerable: true };
};

/** The fields that no item of the answer has, though there are items. */
export function unknownFields({ value }: Answer, fields: readonly string[]): string[] {
  const items = itemsOf(value);
  return items.length === 0 ? [] : fields.filter((field) => items.every((item) => !Object.hasOwn(item, field)));
}
