/** --fields: picks and orders the fields of an answer's items. */
import { formatCell, getOwnValue, type Item, toItems, type View } from './formats.ts';
import { formatTsv } from './tsv.ts';

/** The answer with these fields of each item alone, in this order; a field that an item lacks is null. */
export function selectFields({ value }: View, fields: readonly string[]): View {
  const selected = toItems(value).map((item) =>
    // A code of a list is decoded only when it is read.
    Object.defineProperties({}, Object.fromEntries(fields.map((field) => [field, propertyOf(item, field)]))),
  );
  const columns = fields.map((field) => ({
    title: field.toUpperCase(),
    cell: (item: Item) => formatCell(getOwnValue(item, field)),
  }));
  return {
    value: Array.isArray(value)
      ? selected
      : toItems(value)[0] === value
        ? selected[0]
        : { ...(value as object), items: selected },
    table: async ({ isTerminal, columns: width, redact }) => {
      if (!isTerminal) return formatTsv(selected, columns);
      const { formatTable } = await import('./table.ts');
      return formatTable(selected, columns, width, { redact });
    },
  };
}

const propertyOf = (item: Item, field: string): PropertyDescriptor => {
  const own = Object.getOwnPropertyDescriptor(item, field);
  return own?.get ? own : { value: own?.value ?? null, enumerable: true };
};

/** The fields that no item of the answer has, though there are items. */
export function findUnknownFields({ value }: View, fields: readonly string[]): string[] {
  const items = toItems(value);
  return items.length === 0 ? [] : fields.filter((field) => items.every((item) => !Object.hasOwn(item, field)));
}
