/** How an answer is printed: one entry for each value of --output. */
import { escapeControls, stringifySafely } from './escape.ts';

/** Where an answer goes: the facts about stdout that a format needs. */
export interface OutputTarget {
  isTerminal: boolean;
  hasColor: boolean;
  columns: number;
  /** Hides secrets; comes before a text is cut. */
  redact(text: string): string;
}

/** One item of an answer, by field. */
export type Item = Readonly<Record<string, unknown>>;

/** An answer as a value for programs, and as a table for people. */
export interface View {
  /** An array of items, a result document (`items` and `summary`), or one item. */
  value: unknown;
  /** The table's text; built only when a table is wanted. */
  table(target: OutputTarget): Text | Promise<Text>;
}

/** A text, or its pieces where the whole could be longer than a string may be. */
export type Text = string | Iterable<string>;

type Format = (view: View, target: OutputTarget) => Text | Promise<Text>;

export const FORMATS: Readonly<Record<string, Format>> = {
  table: (view, target) => view.table(target),
  json: ({ value }) => (Array.isArray(value) && value.length > 0 ? jsonArray(value) : `${stringifySafely(value, 2)}\n`),
  jsonl: ({ value }) => pieces(toItems(value), (item) => `${stringifySafely(item)}\n`),
  csv: ({ value }) => formatCsv(toItems(value)),
};

/** The same text as that of the whole array. */
function* jsonArray(items: readonly unknown[]): Iterable<string> {
  yield '[';
  for (const [i, item] of items.entries()) yield `${i > 0 ? ',' : ''}${stringifySafely([item], 2).slice(1, -2)}`;
  yield '\n]\n';
}

/** A piece of text for each item, made when it is asked for. */
export function* pieces<T>(items: readonly T[], textOf: (item: T) => string): Iterable<string> {
  for (const item of items) yield textOf(item);
}

export const textOf = (text: Text): string => (typeof text === 'string' ? text : [...text].join(''));

/** The items of a value, each an object: of an array or a result document its items, else the value itself. */
export function toItems(value: unknown): Item[] {
  if (Array.isArray(value)) return value as Item[];
  const { schema_version: version, items } = value as { schema_version?: unknown; items?: unknown };
  return version !== undefined && Array.isArray(items) ? (items as Item[]) : [value as Item];
}

/** RFC 4180 with a header of all keys; nested values as JSON, control characters as escapes, one line an item. */
function* formatCsv(items: readonly Item[]): Iterable<string> {
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (keys.length === 0) return;
  const line = (cells: readonly string[]) => `${cells.map(quoteCsv).join(',')}\r\n`;
  yield line(keys.map(escapeControls));
  yield* pieces(items, (item) => line(keys.map((key) => formatCell(getOwnValue(item, key)))));
}

/** An item's value of a field; every object has a `constructor` that is not its own. */
export const getOwnValue = (item: Item, field: string): unknown =>
  Object.hasOwn(item, field) ? item[field] : undefined;

/** A value as the text of one cell. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? stringifySafely(value) : escapeControls(String(value));
}

const quoteCsv = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
