import { describe, expect, it } from 'vitest';
import { compareCalls, type ExpectedCall } from '../../../src/run/cases/expected-calls.ts';
import { parseTests } from '../../../src/run/cases/parse-tests.ts';
import type { Call } from '../../../src/run/protocol.ts';

const call = (bt: string, ...args: unknown[]): Call => ({ bt, with: args, double: 0 });
const MADE = [call('a', { n: 1, m: 2 }, 'x'), call('b'), call('a', { n: 2 })];

describe('the calls of a formula', () => {
  it.each<[string, readonly ExpectedCall[], object]>([
    ['all of them, in order', [{ bt: 'a' }, { bt: 'b' }, { bt: 'a' }], { ordered: true }],
    ['in the order of each method', [{ bt: 'b' }, { bt: 'a', with: [{ n: 1 }] }, { bt: 'a', with: [{ n: 2 }] }], {}],
    [
      'the first arguments',
      [
        { bt: 'a', with: [{ n: 1 }, 'x'] },
        { bt: 'a', with: [] },
        { bt: 'b', with: [] },
      ],
      {},
    ],
    ['some of them', [{ bt: 'a', with: [{ n: 2 }] }], { partial: true }],
    ['some of them, in order', [{ bt: 'b' }, { bt: 'a' }], { partial: true, ordered: true }],
  ])('are as expected: %s', (_, calls, options) => {
    expect(compareCalls({ calls, ...options }, MADE)).toBeUndefined();
  });

  it.each<[string, readonly ExpectedCall[], object]>([
    ['too few', [{ bt: 'a' }, { bt: 'b' }, { bt: 'a' }, { bt: 'b' }], {}],
    ['too many', [{ bt: 'a' }, { bt: 'b' }], {}],
    ['none at all', [], {}],
    ['another order of one method', [{ bt: 'a', with: [{ n: 2 }] }, { bt: 'a', with: [{ n: 1 }] }, { bt: 'b' }], {}],
    ['another order', [{ bt: 'b' }, { bt: 'a' }, { bt: 'a' }], { ordered: true }],
    ['another order of some', [{ bt: 'b' }, { bt: 'a', with: [{ n: 1 }] }], { ordered: true, partial: true }],
    ['other arguments', [{ bt: 'a', with: [{ n: 1 }, 'y'] }, { bt: 'b' }, { bt: 'a' }], {}],
  ])('are not as expected: %s', (_, calls, options) => {
    expect(compareCalls({ calls, ...options }, MADE)).toBeDefined();
  });
});

describe('a test file', () => {
  const bt = (methods: object) => ({ doubles: { bt: methods }, expect: {} });
  const http = (double: object) => ({ doubles: { http: [{ request: 'GET https://a.b', ...double }] }, expect: {} });
  const response = (more: object) => http({ response: { status: 200, ...more } });
  it.each<[string, object, string]>([
    ['an unknown double', { doubles: { htp: [] }, expect: {} }, 'unknown key "htp" in doubles'],
    ['doubles that are a list', { doubles: [], expect: {} }, 'doubles must be an object (got [])'],
    ['a method without a list', bt({ 'a.b': { returns: 1 } }), 'a.b must be an array'],
    ['an outcome that is neither', bt({ a: [{}] }), 'either returns or throws'],
    ['an outcome of another key', bt({ a: [{ returns: 1, x: 1 }] }), 'unknown key "x"'],
    ['an error that is a string', bt({ a: [{ throws: 'x' }] }), 'throws must be an object'],
    ['a path that is none', bt({ 'a..b': [] }), 'must be a path such as tokens.create'],
    ['no method', http({ request: 'https://a.b', error: 'E1' }), 'request must be a method and a URL'],
    ['neither response nor error', http({}), 'either response or error'],
    ['a status that is none', response({ status: 99 }), 'status must be an HTTP status from 200 to 599 (got 99)'],
    ['two bodies', response({ json: 1, text: '' }), 'text cannot be combined with json'],
    ['a broken header', response({ headers: { 'a b': 'x' } }), '"a b" must be the name of a header'],
    ['times of 0', http({ times: 0, error: 'E1' }), 'times must be an integer above 0, or "any" (got 0)'],
    ['a network that is a string', { network: 'yes', expect: {} }, 'network must be true or false'],
    ['calls that are an object', { expect: { calls: {} } }, 'calls must be an array'],
    ['a call of nothing', { expect: { calls: [{}] } }, 'a call must be {"bt"'],
    ['a call with an unknown key', { expect: { calls: [{ bt: 'a', args: [] }] } }, 'unknown key "args" in a call'],
    ['an order without calls', { expect: { ordered: true } }, 'ordered requires calls'],
    ['a partial that is a string', { expect: { partial: 'yes' } }, 'partial must be true or false (got "yes")'],
  ])('with %s has an error with its position', (_, test, message) => {
    const { problems } = parseTests(JSON.stringify(test, null, 2));
    expect(problems.map((fault) => fault.message)).toEqual([expect.stringContaining(message)]);
    expect(problems[0]?.position.line).toBeGreaterThan(1);
  });
});
