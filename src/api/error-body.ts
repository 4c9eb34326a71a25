/** What the service itself says in an answer that is no success, whichever of the usual forms it says it in. Pure. */
import { displayText } from './http/body-text.ts';
import type { WireAnswer } from './http/http.ts';
import { parseBody } from './http/json-body.ts';

/** What is wrong with one field of what was sent; `field` is a path as the service writes it, '' where it names none. */
export interface FieldError {
  field: string;
  message: string;
}

export interface ServiceWords {
  /** One line; '' when the service says nothing. */
  text: string;
  errors: readonly FieldError[];
  requestId: string | undefined;
}

const MAX_READ_BYTES = 1024 * 1024;
const MAX_TEXT = 500;
const MAX_ERRORS = 50;
const MAX_NESTING = 8;

/** A text of a readable length. */
export const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Reads an answer. `hide` takes the key out; it comes before anything is cut, so that no part of the key can be left. */
export function serviceWords({ body, headers }: WireAnswer, hide: (text: string) => string): ServiceWords {
  const text = hide(displayText({ headers, body: body.subarray(0, MAX_READ_BYTES) })).trim();
  const parsed = parseBody(Buffer.from(text));
  const json = 'value' in parsed ? objectOf(parsed.value) : {};
  const requestId = hide(requestIdOf(headers, json) ?? '') || undefined;
  if (/html/i.test(headers['content-type'] ?? '') || text.startsWith('<')) {
    const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
    return { text: `a web page${title ? ` ("${cut(title)}")` : ''}`, errors: [], requestId };
  }
  const errors = fieldErrors(json);
  const said = wordsOf(json) || (errors.length === 0 ? plainText(text, parsed) : '');
  return { text: cut(said), errors, requestId };
}

/** The field errors as lines of a message. */
export function errorLines(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `  ${field ? `${field}: ` : ''}${message}`);
}

const ID_HEADERS = ['x-request-id', 'request-id', 'x-trace-id', 'x-correlation-id', 'x-amzn-requestid', 'traceparent'];
const ID_KEYS = ['request_id', 'requestId', 'trace_id', 'traceId', 'correlation_id', 'correlationId'];

function requestIdOf(headers: WireAnswer['headers'], json: Json): string | undefined {
  const nested = objectOf(json['error']);
  const found = [
    ...ID_HEADERS.map((name) => headers[name]),
    ...ID_KEYS.flatMap((key) => [textOf(json[key]), textOf(nested[key])]),
  ];
  return found.find((id) => id !== undefined && id !== '' && id.length <= MAX_TEXT);
}

/** Title, detail, message, error and its message (RFC 9457 and what came before it), each once. */
function wordsOf(json: Json): string {
  const nested = objectOf(json['error']);
  const words = [
    json['title'],
    json['detail'],
    json['message'],
    json['error'],
    json['error_description'],
    nested['message'],
    nested['detail'],
  ];
  return [...new Set(words.map(textOf).filter(Boolean))].join(': ');
}

/** The first line of a text; JSON of an unknown form in one line. */
function plainText(text: string, parsed: object): string {
  if ('value' in parsed && typeof parsed.value === 'object') return JSON.stringify(parsed.value);
  return text.split(/[\r\n]/)[0] ?? '';
}

const LIST_KEYS = [
  'errors',
  'details',
  'invalid_params',
  'invalid-params',
  'violations',
  'validation_errors',
  'detail',
];

function fieldErrors(json: Json): FieldError[] {
  const nested = objectOf(json['error']);
  const found = [json, nested].flatMap((object) => LIST_KEYS.map((key) => errorsIn(object[key])));
  return (found.find((errors) => errors.length > 0) ?? [])
    .slice(0, MAX_ERRORS)
    .map(({ field, message }) => ({ field: cut(field), message: cut(message) }));
}

/** `{field: [message]}`, `{field: {field: message}}`, `[{field, message}]` or `[message]`. */
function errorsIn(value: unknown, field = '', depth = 0): FieldError[] {
  if (depth > MAX_NESTING) return [];
  const message = textOf(value);
  if (message !== undefined) return field === '' && depth === 0 ? [] : [{ field, message }];
  if (Array.isArray(value)) return value.flatMap((item) => errorsIn(item, field, depth + 1));
  const object = objectOf(value);
  const own = firstText(object, MESSAGE_KEYS);
  if (own !== undefined) return [{ field: placeIn(object) ?? field, message: own }];
  return Object.entries(object).flatMap(([key, item]) => errorsIn(item, field ? `${field}.${key}` : key, depth + 1));
}

const MESSAGE_KEYS = ['message', 'msg', 'reason', 'detail', 'description', 'errorMessage', 'error', 'title'];
const PLACE_KEYS = ['field', 'path', 'pointer', 'instancePath', 'property', 'propertyName', 'param', 'name', 'key'];

function placeIn(object: Json): string | undefined {
  const list = [object['loc'], object['path']].find(Array.isArray) as unknown[] | undefined;
  if (list) return list.filter((step) => ['string', 'number'].includes(typeof step)).join('.');
  return firstText(object, PLACE_KEYS) ?? textOf(objectOf(object['source'])['pointer']);
}

const firstText = (object: Json, keys: readonly string[]) => keys.map((key) => textOf(object[key])).find(Boolean);

type Json = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
