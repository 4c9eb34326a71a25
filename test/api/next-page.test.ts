import { describe, expect, it } from 'vitest';
import { findNextPage } from '../../src/api/next-page.ts';

const LIST = new URL('https://api.example/v1/reactor-formulas?name=a%20b&page=1&size=100');
const follow = (query: string) => ({ query });
const other = (elsewhere: string) => ({ foreignUrl: elsewhere });
/** The list of another origin. */
const listAt = (origin: string) => other(`${origin}/v1/reactor-formulas`);

describe('the next page of a list', () => {
  it.each<[string, unknown, ReturnType<typeof findNextPage>]>([
    ['is absent', undefined, undefined],
    ['is null', null, undefined],
    ['is empty', '', undefined],
    ['is not a string', 2, undefined],
    ['is a cursor', 'c2', follow('name=a%20b&size=100&start=c2')],
    ['is a cursor in base64', '/9j+A==', follow('name=a%20b&size=100&start=%2F9j%2BA%3D%3D')],
    ['is a URL of the same list', 'https://api.example/v1/reactor-formulas?page=2', follow('page=2')],
    ['is the same list with a slash', 'https://api.example/v1/reactor-formulas/?page=2', follow('page=2')],
    ['is a path of the same list', '/v1/reactor-formulas?page=2&name=a+b', follow('page=2&name=a+b')],
    ['is a query', '?start=a%2Fb', follow('start=a%2Fb')],
    ['is elsewhere', 'https://evil.example/v1/reactor-formulas?k=1', listAt('https://evil.example')],
    ['has another scheme', 'http://api.example/v1/reactor-formulas?a', listAt('http://api.example')],
    ['has another port', 'https://api.example:8443/v1/reactor-formulas?a', listAt('https://api.example:8443')],
    ['lacks the base path', '/reactor-formulas?page=2', other('https://api.example/reactor-formulas')],
    ['leaves the base path', '../v2/reactor-formulas?page=2', other('https://api.example/v2/reactor-formulas')],
    ['names a user', 'https://api.example@evil.example/v1/reactor-formulas?a', listAt('https://evil.example')],
    ['is not a URL', 'http://[?', other('http://[?')],
  ])('%s', (_, next, expected) => {
    expect(findNextPage({ next, link: undefined }, LIST)).toEqual(expected);
  });

  it('that can be followed is preferred to a link that cannot, and vice versa', () => {
    const link = '<?page=2>; rel=next';
    expect(findNextPage({ next: 'https://other.example/?a', link }, LIST)).toEqual(follow('page=2'));
    expect(findNextPage({ next: 'c2', link: '<https://other.example/>; rel=next' }, LIST)).toHaveProperty('query');
  });
});

describe('a Link header', () => {
  it.each<[string, ReturnType<typeof findNextPage>]>([
    ['<?page=2>; rel="next"', follow('page=2')],
    ['<?page=2>;rel=next', follow('page=2')],
    ['<?page=2> ; REL = "NEXT"', follow('page=2')],
    ['<?page=1>; rel="prev", <?page=3>; rel="next", <?page=9>; rel=last', follow('page=3')],
    ['<?page=2>; title="a, b; <x>"; rel="first next"', follow('page=2')],
    ['<?a=1,2;3>; rel=next', follow('a=1,2;3')],
    ['<https://api.example/v1/reactor-formulas?page=2>; type=x; rel=next', follow('page=2')],
    ['<https://other.example/v1/reactor-formulas?page=2>; rel=next', listAt('https://other.example')],
    ['<?page=2>; rel=prev; rel=next', undefined],
    ['<?page=2>; rel=next; anchor="/other"', undefined],
    ['<?page=2>; rel="nextish"', undefined],
    ['<?page=2>', undefined],
    ['?page=2; rel=next', undefined],
    ['<?page=2; rel=next', undefined],
    ['', undefined],
  ])('%s', (link, expected) => {
    expect(findNextPage({ next: null, link }, LIST)).toEqual(expected);
  });

  it.each([
    ['links', '<a>; rel=prev, '],
    ['parameters', '<a>; b="c'],
    ['spaces', '<a>;     b  =  '],
    ['backslashes', '<a>; b="\\\\'],
  ])('of any length with many %s is parsed in linear time', (_, part) => {
    expect(findNextPage({ next: null, link: part.repeat(2000) }, LIST)).toBeUndefined();
  });
});
