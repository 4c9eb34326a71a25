import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallResult, compareResults, toCallResult } from '../../../src/run/compare/compare-results.ts';
import type { Call, ExitReason } from '../../../src/run/protocol.ts';

const fails = (name: string, message: string, more = {}): ExitReason => ({
  kind: 'failed',
  phase: 'call',
  error: { isError: true, name, message, ...more },
});
const returns = (response: unknown): ExitReason => ({ kind: 'response', response, lost: [] });
const post = (more: object): Call => ({ http: 'POST https://a.example/', ...more });
const listPaths = (older: CallResult, newer: CallResult) => compareResults(older, newer).map(({ path }) => path);

describe('the difference of two results', () => {
  it.each<[string, CallResult, CallResult, string[]]>([
    ['of equal values', { returns: { raw: { a: 1, b: [2] } } }, { returns: { raw: { b: [2], a: 1 } } }, []],
    ['in a member', { returns: { raw: { a: 1 } } }, { returns: { raw: { a: 2 } } }, ['returns.raw.a']],
    ['in a member with a strange name', { returns: { 'a b': 1 } }, { returns: {} }, ['returns["a b"]']],
    ['in an item', { returns: [1, { b: 1 }] }, { returns: [1, { b: 2 }] }, ['returns[1].b']],
    ['in the length of a list', { returns: [1] }, { returns: [1, 2] }, ['returns[1]']],
    ['in a type', { returns: { raw: [] } }, { returns: { raw: {} } }, ['returns.raw']],
    ['between a value and an error', { returns: 1 }, { throws: { message: 'x' } }, ['returns', 'throws']],
    ['in a status', { throws: { message: 'x', status: 400 } }, { throws: { message: 'x' } }, ['throws.status']],
    ['in a call', { calls: [{ bt: 'a', with: [1] }] }, { calls: [{ bt: 'a', with: [2] }] }, ['calls[0].with[0]']],
  ])('%s has its paths', (_, older, newer, paths) => {
    expect(listPaths(older, newer)).toEqual(paths);
    expect(listPaths(newer, older).sort()).toEqual([...paths].sort());
  });

  it('is empty for the same value only', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [older, newer] = JSON.parse(JSON.stringify([a, b]));
        expect(compareResults(older, structuredClone(older))).toEqual([]);
        expect(compareResults(older, newer).length === 0).toBe(isDeepStrictEqual(older, newer));
      }),
    );
  });
});

describe('the result of a call', () => {
  const toResult = (exitReason: ExitReason, calls: Call[] = []) => toCallResult({ exitReason, calls });

  it('does not depend on the names in the code that an error of JavaScript contains', () => {
    const [a, b] = ["Cannot read properties of undefined (reading 'x')", "Cannot destructure property 'x' of 'y'"].map(
      (message) => toResult(fails('TypeError', message)),
    );
    expect(a).toEqual(b);
    expect(toResult(fails('Error', 'no such card', { status: 404 }))).not.toEqual(a);
  });

  it('ends at a call without a double, also if the code continued afterwards', () => {
    const calls = [post({ double: 0 }), post({ body: 1, stack: 'x' }), post({ body: 2 })];
    const results = [returns({ raw: {} }), fails('Error', 'x'), { kind: 'unanswered' } as const].map((exitReason) =>
      toResult(exitReason, calls),
    );
    expect(new Set(results.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(results[0]).toEqual({
      ends: 'at the last call, which has no double',
      calls: [{ http: 'POST https://a.example/' }, { http: 'POST https://a.example/', body: 1 }],
    });
  });

  it('contains the headers of requests, but for those of the client', () => {
    const headers = { authorization: 'Bearer x', 'user-agent': 'node', 'content-length': '3' };
    const { calls } = toResult(returns({ raw: {} }), [post({ double: 0, headers })]);
    expect(calls).toEqual([{ http: 'POST https://a.example/', headers: { authorization: 'Bearer x' } }]);
  });

  it('is the same for two time limits', () => {
    expect(toResult({ kind: 'timeout' })).toEqual({ ends: 'by the time limit' });
  });
});
