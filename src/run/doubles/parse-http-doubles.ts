/** Checks `doubles.http` of a test. Pure. */
import { isObject } from '../../text/json-type.ts';
import type { JsonPath } from '../../text/json-with-positions.ts';
import { isList, isString, type ReportProblem, rejectUnknownKeys, requireType } from '../cases/value-checks.ts';
import { isRequestPattern } from './match-request.ts';

const DOUBLE_KEYS = ['request', 'body', 'times', 'response', 'error'];
const RESPONSE_KEYS = ['status', 'headers', 'json', 'text', 'base64', 'delay_ms'];
const BODY_KEYS = ['json', 'text', 'base64'];

export function checkHttpDoubles(doubles: unknown, path: JsonPath, report: ReportProblem): void {
  if (!requireType(doubles, isList, 'an array', path, report)) return;
  for (const [i, double] of doubles.entries()) checkDouble(double, [...path, i], report);
}

function checkDouble(double: unknown, path: JsonPath, report: ReportProblem): void {
  if (!isObject(double)) {
    report(path, 'a double of HTTP must be an object with request and response or error');
    return;
  }
  rejectUnknownKeys(double, DOUBLE_KEYS, path, 'a double of HTTP', report);
  checkRequest(double['request'], [...path, 'request'], report);
  const { times, response, error } = double;
  if (times !== undefined) requireType(times, isTimes, 'an integer above 0, or "any"', [...path, 'times'], report);
  if ((response === undefined) === (error === undefined))
    report(path, 'a double of HTTP must have either response or error');
  if (error !== undefined)
    requireType(error, isErrorCode, 'an error code such as "ECONNRESET"', [...path, 'error'], report);
  if (response !== undefined) checkResponse(response, [...path, 'response'], report);
}

/** The request of a double, or of an expected call. */
export function checkRequest(request: unknown, path: JsonPath, report: ReportProblem): void {
  const expected = 'a method and a URL such as "POST https://api.example.com/charges"';
  requireType(request, (value): value is string => isString(value) && isRequestPattern(value), expected, path, report);
}

const isTimes = (value: unknown): value is number | 'any' =>
  value === 'any' || (Number.isInteger(value) && (value as number) > 0);

const isErrorCode = (value: unknown): value is string => isString(value) && /^[A-Z][A-Z0-9_]+$/.test(value);

function checkResponse(response: unknown, path: JsonPath, report: ReportProblem): void {
  if (!requireType(response, isObject, 'an object with status', path, report)) return;
  rejectUnknownKeys(response, RESPONSE_KEYS, path, 'response', report);
  const { status, headers, text, base64, delay_ms: delay } = response;
  requireType(status, isStatus, 'an HTTP status from 200 to 599', [...path, 'status'], report);
  if (headers !== undefined) checkHeaders(headers, [...path, 'headers'], report);
  if (text !== undefined) requireType(text, isString, 'a string', [...path, 'text'], report);
  if (base64 !== undefined) requireType(base64, isBase64, 'base64', [...path, 'base64'], report);
  if (delay !== undefined) requireType(delay, isDelay, 'a number of milliseconds', [...path, 'delay_ms'], report);
  if (BODY_KEYS.filter((key) => key in response).length > 1)
    report(path, `response must have only one of ${BODY_KEYS.join(', ')}`);
}

const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 200 && (value as number) <= 599;

const isDelay = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 86_400_000;

const isBase64 = (value: unknown): value is string => isString(value) && /^[A-Za-z0-9+/]*={0,2}$/.test(value);

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function checkHeaders(headers: unknown, path: JsonPath, report: ReportProblem): void {
  if (!requireType(headers, isObject, 'an object', path, report)) return;
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, name];
    const values = isList(value) ? value : [value];
    const isValid = HEADER_NAME.test(name) && values.every((one) => isString(one) && HEADER_VALUE.test(one));
    if (!isValid) report(at, `header ${JSON.stringify(name)} must have a string, or an array of strings`);
  }
}
