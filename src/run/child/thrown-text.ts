/** What can be told of a thrown value, whatever it is. */
import { inspect } from 'node:util';
import type { SerializedError } from '../protocol.ts';

const { stringify } = JSON;
const { apply } = Reflect;
const { slice } = String.prototype;
const { isArray: isList } = Array;
const describe = inspect;
const MAX_TEXT = 20_000;

/** What can be told of a value that was thrown, as JSON; reading it may run code of the formula, which may throw again. */
export function thrownText(error: unknown): string {
  const field = (key: keyof SerializedError, isText: boolean): string => {
    const value = safely(() => (error as Record<string, unknown>)[key]);
    if (isText) return typeof value === 'string' ? `,"${key}":${stringify(apply(slice, value, [0, MAX_TEXT]))}` : '';
    const json = value === undefined ? undefined : safely(() => stringify(value));
    return json === undefined || json.length > MAX_TEXT ? '' : `,"${key}":${json}`;
  };
  const message = field('message', true);
  if (typeof error === 'object' && error !== null && message !== '') {
    const facts = field('status', false) + field('errors', false) + causesText(error);
    return `{"isError":true${message}${field('name', true)}${field('stack', true)}${field('code', true)}${facts}}`;
  }
  return `{"message":${stringify(apply(slice, safely(() => describe(error)) ?? typeof error, [0, MAX_TEXT]))}}`;
}

const MAX_CAUSES = 5;

/** The cause of an error, its causes, and the errors of an AggregateError, as texts. */
function causesText(error: object): string {
  const texts: string[] = [];
  const add = (value: unknown, title: string) => {
    const message = safely(() => (value as Error).message);
    const name = safely(() => (value as Error).name);
    const text =
      typeof message === 'string' && typeof name === 'string' ? `${name}: ${message}` : safely(() => describe(value));
    if (texts.length < MAX_CAUSES) texts[texts.length] = `${title}: ${apply(slice, text ?? typeof value, [0, 500])}`;
  };
  let cause = safely(() => (error as Error).cause);
  for (let i = 0; cause !== undefined && i < MAX_CAUSES; i++) {
    add(cause, 'cause');
    const outer = cause;
    cause = safely(() => (outer as Error).cause);
  }
  const errors = safely(() => (error as AggregateError).errors);
  if (error instanceof AggregateError && isList(errors)) {
    for (let i = 0; i < errors.length && i < MAX_CAUSES; i++) add(errors[i], 'contains');
  }
  return texts.length === 0 ? '' : `,"causes":${stringify(texts)}`;
}

/** The result of work that may run code of the formula; undefined where it throws. */
export function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
