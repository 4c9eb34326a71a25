/** Serializes thrown values, of any kind. */
import { inspect } from 'node:util';
import { attempt } from '../../errors.ts';
import type { SerializedError } from '../protocol.ts';

const { stringify } = JSON;
const { apply } = Reflect;
const { slice } = String.prototype;
const { isArray: isList } = Array;
const describe = inspect;
const MAX_TEXT = 20_000;

/** A `SerializedError` as JSON. Reading the value may run code of the formula, which may throw again. */
export function serializeError(error: unknown): string {
  const field = (key: keyof SerializedError, isText: boolean): string => {
    const value = attempt(() => (error as Record<string, unknown>)[key]);
    if (isText) return typeof value === 'string' ? `,"${key}":${stringify(apply(slice, value, [0, MAX_TEXT]))}` : '';
    const json = value === undefined ? undefined : attempt(() => stringify(value));
    return json === undefined || json.length > MAX_TEXT ? '' : `,"${key}":${json}`;
  };
  const message = field('message', true);
  if (typeof error === 'object' && error !== null && message !== '') {
    const facts = field('status', false) + field('errors', false) + serializeCauses(error);
    return `{"isError":true${message}${field('name', true)}${field('stack', true)}${field('code', true)}${facts}}`;
  }
  return `{"message":${stringify(apply(slice, describeValue(error), [0, MAX_TEXT]))}}`;
}

const MAX_CAUSES = 5;

/** The chain of causes, and the errors of an AggregateError, as strings. */
function serializeCauses(error: object): string {
  const texts: string[] = [];
  const add = (value: unknown, title: string) => {
    const message = attempt(() => (value as Error).message);
    const name = attempt(() => (value as Error).name);
    const text = typeof message === 'string' && typeof name === 'string' ? `${name}: ${message}` : describeValue(value);
    if (texts.length < MAX_CAUSES) texts[texts.length] = `${title}: ${apply(slice, text, [0, 500])}`;
  };
  const readCause = (value: unknown) => attempt(() => (value as Error).cause);
  let cause = readCause(error);
  for (let i = 0; cause !== undefined && i < MAX_CAUSES; i++) {
    add(cause, 'cause');
    cause = readCause(cause);
  }
  const errors = error instanceof AggregateError ? attempt(() => error.errors) : undefined;
  if (isList(errors)) for (let i = 0; i < errors.length && i < MAX_CAUSES; i++) add(errors[i], 'contains');
  return texts.length === 0 ? '' : `,"causes":[${joinJson(texts, (text) => stringify(text))}]`;
}

const describeValue = (value: unknown): string => attempt(() => describe(value)) ?? typeof value;

/** `JSON.stringify` would call a `toJSON` that the code adds to a prototype, and `map` may be replaced. */
export function joinJson<T>(values: readonly T[], format: (value: T) => string): string {
  let json = '';
  for (let i = 0; i < values.length; i++) json += (i === 0 ? '' : ',') + format(values[i] as T);
  return json;
}
