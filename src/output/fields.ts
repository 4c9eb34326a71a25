/** --fields: selects and orders the fields of a result. */
import { CliError } from '../errors.ts';
import { formatCell, getOwnValue, type Item, toItems, type View } from './formats.ts';
import { formatTsv } from './tsv.ts';

/** A view with only these fields of each item, in this order; a missing field is null. */
export function selectFields({ value }: View, fields: readonly string[]): View {
  const selected = toItems(value).map((item) =>
    // Keeps getters: the code of a listed formula is decoded when it is read.
    Object.defineProperties({}, Object.fromEntries(fields.map((field) => [field, getProperty(item, field)]))),
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

const getProperty = (item: Item, field: string): PropertyDescriptor => {
  const own = Object.getOwnPropertyDescriptor(item, field);
  return own?.get ? own : { value: own?.value ?? null, enumerable: true };
};

/** Raises usage (2) for a field that no item can have. Call before any request. */
export function assertKnownFields(fields: readonly string[], known: readonly string[]): void {
  const unknown = fields.filter((field) => !known.includes(field));
  if (unknown.length > 0) throw unknownFieldError(unknown, known);
}

/** Raises usage (2) for a field that is not known and that no item has, if there are items. */
export function assertPresentFields({ value }: View, fields: readonly string[], known: readonly string[]): void {
  const items = toItems(value);
  if (items.length === 0) return;
  const isAbsent = (field: string) => !known.includes(field) && items.every((item) => !Object.hasOwn(item, field));
  const unknown = fields.filter(isAbsent);
  if (unknown.length > 0) throw unknownFieldError(unknown, [...new Set([...known, ...items.flatMap(Object.keys)])]);
}

function unknownFieldError(unknown: readonly string[], known: readonly string[]): CliError {
  const names = unknown.map((field) => JSON.stringify(field)).join(', ');
  return new CliError('usage', `unknown field${unknown.length > 1 ? 's' : ''} ${names} for --fields`, {
    hint: `Available fields: ${known.join(', ')}`,
  });
}
