/** Which doubles of a test a saved run keeps. */
import { describe, expect, it } from 'vitest';
import { pickUsedDoubles } from '../../src/dev/chosen-test.ts';

describe('the doubles that a run used', () => {
  it('are those that responded, as often as they did', () => {
    const response = { status: 200 };
    const doubles = {
      modules: { a: 'a.js', b: 'b.js' },
      bt: { 'tokens.create': [{ returns: 1 }, { returns: 2 }], 'tokens.get': [{ returns: 3 }] },
      http: [
        { request: 'GET https://a.example/', response, times: 3 },
        { request: 'GET https://b.example/', response },
        { request: 'GET https://c.example/', response, times: 'any' as const },
      ],
    };
    const calls = [
      { bt: 'tokens.create', with: [], double: 0 },
      { bt: 'tokens.get', with: [] },
      { http: 'GET https://a.example/', double: 0 },
      { http: 'GET https://a.example/', double: 0 },
      { http: 'GET https://c.example/', double: 2 },
    ];
    expect(pickUsedDoubles(doubles, { calls, loaded: ['b'] })).toEqual({
      modules: { b: 'b.js' },
      bt: { 'tokens.create': [{ returns: 1 }], 'tokens.get': [] },
      http: [
        { request: 'GET https://a.example/', response, times: 2 },
        { request: 'GET https://c.example/', response, times: 'any' },
      ],
    });
  });

  it('are none of a test without any', () => {
    expect(pickUsedDoubles({}, { calls: [], loaded: [] })).toEqual({});
  });
});
