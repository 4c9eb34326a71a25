import { describe, expect, it } from 'vitest';
import { formatFieldErrors, parseErrorBody } from '../../src/api/error-body.ts';

const words = (body: string, headers: Record<string, string> = {}) =>
  parseErrorBody({ status: 400, headers, body: Buffer.from(body) }, (text) =>
    text.replaceAll('key_secret', '[hidden]'),
  );

describe('the message of the service', () => {
  it.each<[string, unknown, string]>([
    ['title and detail', { title: 'No', detail: 'because', status: 400 }, 'No: because'],
    ['the same twice', { title: 'No', detail: 'No' }, 'No'],
    ['a message', { message: 'no good' }, 'no good'],
    ['an error', { error: 'no good' }, 'no good'],
    ['an error and its description', { error: 'invalid', error_description: 'no good' }, 'invalid: no good'],
    ['a nested message', { error: { message: 'no good' } }, 'no good'],
    ['something else', { reason: 1 }, '{"reason":1}'],
    ['a list', ['x'], '["x"]'],
    ['nulls', { title: null, detail: null, error: null }, '{"title":null,"detail":null,"error":null}'],
  ])('is read from JSON: %s', (_, body, message) => {
    expect(words(JSON.stringify(body, null, 2))).toEqual({ message, errors: [], requestId: undefined });
  });

  it.each([
    ['nothing', '', ''],
    ['text of several lines', 'Something went wrong.\r\nat x\n', 'Something went wrong.'],
    ['a long text', 'x'.repeat(600), `${'x'.repeat(500)}…`],
    ['a web page', '<html><title lang="en">Bad\n gateway</title></html>', 'a web page ("Bad gateway")'],
    ['a web page without a title', '<!DOCTYPE html><p>No', 'a web page'],
    ['the beginnings of many titles', '<title'.repeat(170_000), 'a web page'],
    ['truncated JSON', '{"title": "No', '{"title": "No'],
    ['a byte order mark', '\ufeff{"title":"No"}', 'No'],
  ])('is read from %s', (_, body, message) => {
    expect(words(body).message).toBe(message);
  });

  it('is redacted before it is truncated', () => {
    const around = 'x'.repeat(495);
    expect(words(JSON.stringify({ detail: `${around}key_secret` })).message).toBe(`${around}[hidd…`);
    expect(words(`${around}key_secret`).message).toBe(`${around}[hidd…`);
    expect(words('{}', { 'x-request-id': 'key_secret' }).requestId).toBe('[hidden]');
  });

  it.each<[string, unknown, string[]]>([
    ['fields with lists', { errors: { 'a[0].b': ['one', 'two'], c: ['x'] } }, ['a[0].b: one', 'a[0].b: two', 'c: x']],
    ['fields with texts', { errors: { name: 'is taken' } }, ['name: is taken']],
    ['fields within fields', { errors: { list: { 0: { type: ['no'] } } } }, ['list.0.type: no']],
    ['a list of objects', { errors: [{ field: 'name', message: 'no' }] }, ['name: no']],
    ['invalid_params', { invalid_params: [{ name: 'name', reason: 'no' }] }, ['name: no']],
    ['validation_errors', { validation_errors: { name: ['no'] } }, ['name: no']],
    ['a list of texts', { errors: ['no', 'nor this'] }, ['no', 'nor this']],
    ['pointers', { errors: [{ source: { pointer: '/name' }, detail: 'no' }] }, ['/name: no']],
    ['places as lists', { detail: [{ loc: ['body', 'list', 0], msg: 'no' }] }, ['body.list.0: no']],
    ['invalid-params', { 'invalid-params': [{ name: 'name', reason: 'no' }] }, ['name: no']],
    ['a nested error', { error: { message: 'bad', details: [{ path: ['a', 1], message: 'no' }] } }, ['a.1: no']],
    ['values that are not strings', { errors: { a: [{ toString: 1, valueOf: 1 }, null, 3] } }, []],
    ['a field named __proto__', JSON.parse('{"errors":{"__proto__":["no"]}}'), ['__proto__: no']],
  ])('contains fields, as %s', (_, body, lines) => {
    expect(formatFieldErrors(words(JSON.stringify(body)).errors)).toEqual(lines.map((line) => `  ${line}`));
  });

  it('with too many fields is truncated', () => {
    const errors = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`f${i}`, ['x'.repeat(600)]]));
    const found = words(JSON.stringify({ errors })).errors;
    expect(found).toHaveLength(50);
    expect(found[0]?.message).toHaveLength(501);
  });

  it.each<[string, Record<string, string>, unknown, string]>([
    ['a header', { 'x-request-id': 'r1' }, {}, 'r1'],
    ['another header', { traceparent: '00-r1' }, {}, '00-r1'],
    ['the body', {}, { traceId: 'r1' }, 'r1'],
    ['a nested error', {}, { error: { request_id: 'r1' } }, 'r1'],
  ])('contains the request id of %s', (_, headers, body, id) => {
    expect(words(JSON.stringify(body), headers).requestId).toBe(id);
  });
});
