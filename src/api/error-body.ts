/** Extracts messages from error responses of any usual format. Pure. */
import { isObject, type JsonObject } from '../text/json-type.ts';
import { truncateText } from '../text/shorten.ts';
import { toDisplayText } from './http/body-text.ts';
import type { HttpResponse } from './http/http.ts';
import { parseJsonBody } from './http/json-body.ts';

/** An error of one field; `field` is a path as the service formats it, or ''. */
export interface FieldError {
  field: string;
  message: string;
}

interface ErrorBody {
  /** One line; '' without a message. */
  message: string;
  errors: readonly FieldError[];
  requestId: string | undefined;
}

const MAX_READ_BYTES = 1024 * 1024;
const MAX_MESSAGE_LENGTH = 500;
const MAX_ERRORS = 50;
const MAX_NESTING = 8;

export const truncateMessage = (text: string): string => truncateText(text, MAX_MESSAGE_LENGTH);

/** Parses an error response. It is redacted before it is truncated, so that no part of the key remains. */
export function parseErrorBody({ body, headers }: HttpResponse, redact: (text: string) => string): ErrorBody {
  const text = redact(toDisplayText({ headers, body: body.subarray(0, MAX_READ_BYTES) })).trim();
  const parsed = parseJsonBody(Buffer.from(text));
  const json = 'value' in parsed ? asObject(parsed.value) : {};
  const requestId = redact(findRequestId(headers, json) ?? '') || undefined;
  if (/html/i.test(headers['content-type'] ?? '') || text.startsWith('<')) {
    const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim();
    return { message: `a web page${title ? ` ("${truncateMessage(title)}")` : ''}`, errors: [], requestId };
  }
  const errors = parseFieldErrors(json);
  const message = findMessage(json) || (errors.length === 0 ? summarizeBody(text, parsed) : '');
  return { message: truncateMessage(message), errors, requestId };
}

/** Formats field errors as lines of a message. */
export function formatFieldErrors(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `  ${field ? `${field}: ` : ''}${message}`);
}

const ID_HEADERS = ['x-request-id', 'request-id', 'x-trace-id', 'x-correlation-id', 'x-amzn-requestid', 'traceparent'];
const ID_KEYS = ['request_id', 'requestId', 'trace_id', 'traceId', 'correlation_id', 'correlationId'];

function findRequestId(headers: HttpResponse['headers'], json: JsonObject): string | undefined {
  const nested = asObject(json['error']);
  const found = [
    ...ID_HEADERS.map((name) => headers[name]),
    ...ID_KEYS.flatMap((key) => [asNonEmptyString(json[key]), asNonEmptyString(nested[key])]),
  ];
  return found.find((id) => id !== undefined && id !== '' && id.length <= MAX_MESSAGE_LENGTH);
}

/** Joins title, detail, message, and error (RFC 9457 and older formats), each once. */
function findMessage(json: JsonObject): string {
  const nested = asObject(json['error']);
  const keys = ['title', 'detail', 'message', 'error', 'error_description'];
  const messages = [...keys.map((key) => json[key]), nested['message'], nested['detail']];
  return [...new Set(messages.map(asNonEmptyString).filter(Boolean))].join(': ');
}

/** The first line of a text, or JSON of an unknown format in one line. */
function summarizeBody(text: string, parsed: object): string {
  if ('value' in parsed && typeof parsed.value === 'object') return JSON.stringify(parsed.value);
  return text.split(/[\r\n]/)[0] ?? '';
}

const ERROR_LIST_KEYS = [
  'errors',
  'details',
  'invalid_params',
  'invalid-params',
  'violations',
  'validation_errors',
  'detail',
];

function parseFieldErrors(json: JsonObject): FieldError[] {
  const nested = asObject(json['error']);
  const found = [json, nested].flatMap((object) => ERROR_LIST_KEYS.map((key) => collectFieldErrors(object[key])));
  return (found.find((errors) => errors.length > 0) ?? [])
    .slice(0, MAX_ERRORS)
    .map(({ field, message }) => ({ field: truncateMessage(field), message: truncateMessage(message) }));
}

/** `{field: [message]}`, `{field: {field: message}}`, `[{field, message}]` or `[message]`. */
function collectFieldErrors(value: unknown, field = '', depth = 0): FieldError[] {
  if (depth > MAX_NESTING) return [];
  const message = asNonEmptyString(value);
  if (message !== undefined) return field === '' && depth === 0 ? [] : [{ field, message }];
  if (Array.isArray(value)) return value.flatMap((item) => collectFieldErrors(item, field, depth + 1));
  const object = asObject(value);
  const own = findFirstString(object, MESSAGE_KEYS);
  if (own !== undefined) return [{ field: findFieldPath(object) ?? field, message: own }];
  return Object.entries(object).flatMap(([key, item]) =>
    collectFieldErrors(item, field ? `${field}.${key}` : key, depth + 1),
  );
}

const MESSAGE_KEYS = ['message', 'msg', 'reason', 'detail', 'description', 'errorMessage', 'error', 'title'];
const FIELD_KEYS = ['field', 'path', 'pointer', 'instancePath', 'property', 'propertyName', 'param', 'name', 'key'];

function findFieldPath(object: JsonObject): string | undefined {
  const list = [object['loc'], object['path']].find(Array.isArray) as unknown[] | undefined;
  if (list) return list.filter((step) => ['string', 'number'].includes(typeof step)).join('.');
  return findFirstString(object, FIELD_KEYS) ?? asNonEmptyString(asObject(object['source'])['pointer']);
}

const findFirstString = (object: JsonObject, keys: readonly string[]) =>
  keys.map((key) => asNonEmptyString(object[key])).find(Boolean);

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

const asNonEmptyString = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
