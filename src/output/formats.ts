/** The formats of --output. */
import { escapeControls, stringifySafely } from './escape.ts';

/** The properties of stdout that a format depends on. */
export interface OutputTarget {
  isTerminal: boolean;
  hasColor: boolean;
  columns: number;
  /** Redacts secrets; call before truncating a text. */
  redact(text: string): string;
}

export type Item = Readonly<Record<string, unknown>>;

/** A result: a value for programs, and a table for people. */
export interface View {
  /** An array of items, a result document (`items` and `summary`), or one item. */
  value: unknown;
  /** The text for --output table. */
  table(target: OutputTarget): Text | Promise<Text>;
}

/** A text, or its parts if it may exceed the maximum length of a string. */
export type Text = string | Iterable<string>;

type Format = (view: View, target: OutputTarget) => Text | Promise<Text>;

export const FORMATS: Readonly<Record<string, Format>> = {
  table: (view, target) => view.table(target),
  json: ({ value }) =>
    Array.isArray(value) && value.length > 0 ? formatJsonArray(value) : `${stringifySafely(value, 2)}\n`,
  jsonl: ({ value }) => pieces(toItems(value), (item) => `${stringifySafely(item)}\n`),
  csv: ({ value }) => formatCsv(toItems(value)),
};

/** The same text as for the array at once, one item at a time. */
function* formatJsonArray(items: readonly unknown[]): Iterable<string> {
  yield '[';
  for (const [i, item] of items.entries()) yield `${i > 0 ? ',' : ''}${stringifySafely([item], 2).slice(1, -2)}`;
  yield '\n]\n';
}

/** The text of each item, generated lazily. */
export function* pieces<T>(items: readonly T[], format: (item: T) => string): Iterable<string> {
  for (const item of items) yield format(item);
}

export const joinText = (text: Text): string => (typeof text === 'string' ? text : [...text].join(''));

/** The items of an array or a result document; for any other value, the value itself. */
export function toItems(value: unknown): Item[] {
  if (Array.isArray(value)) return value as Item[];
  const { schema_version: version, items } = value as { schema_version?: unknown; items?: unknown };
  return version !== undefined && Array.isArray(items) ? (items as Item[]) : [value as Item];
}

/** RFC 4180 with a header of all keys; nested values as JSON, control characters escaped, one line per item. */
function* formatCsv(items: readonly Item[]): Iterable<string> {
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (keys.length === 0) return;
  const line = (cells: readonly string[]) => `${cells.map(quoteCsv).join(',')}\r\n`;
  yield line(keys.map(escapeControls));
  yield* pieces(items, (item) => line(keys.map((key) => formatCsvCell(getOwnValue(item, key)))));
}

/** The value of an own property, unlike an inherited one such as `constructor`. */
export const getOwnValue = (item: Item, field: string): unknown =>
  Object.hasOwn(item, field) ? item[field] : undefined;

/** The text of a table or CSV cell. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? stringifySafely(value) : escapeControls(String(value));
}

/** Like a cell, but a line break stays one, inside quotes. */
const formatCsvCell = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .split(/(\r?\n)/)
        .map((part, i) => (i % 2 === 1 ? part : escapeControls(part)))
        .join('')
    : formatCell(value);

const quoteCsv = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
