import { describe, expect, it } from 'vitest';
import type { RequestParameter } from '../../src/model.ts';
import { createExampleRequest } from '../../src/run/example-request.ts';
import { checkResponse } from '../../src/run/failure.ts';
import { castRequest, findArgsDeviations, findConfigurationDeviations } from '../../src/run/validate-request.ts';

const CARD: RequestParameter[] = [
  { name: 'card.number', type: 'string' },
  { name: 'card.expiry.year', type: 'number', optional: true },
  { name: 'save', type: 'boolean', optional: null },
];

describe('args', () => {
  it.each<[string, unknown]>([
    ['all declared values', { card: { number: '4', expiry: { year: 2030 } }, save: true }],
    ['no optional one', { card: { number: '4' }, save: false }],
    ['undeclared lists and objects', { card: { number: '4', x: [null] }, save: true, more: [{ a: [1, [2]] }] }],
    ['an empty text', { card: { number: '' }, save: true }],
  ])('are valid with %s', (_, args) => {
    expect(findArgsDeviations(args, CARD)).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['a missing one', { card: {}, save: true }, ['args.card.number is required (string)']],
    ['a missing parent', { save: true }, ['args.card.number is required (string)']],
    ['a wrong type', { card: { number: 4 }, save: true }, ['args.card.number must be a string (got a number)']],
    [
      'a wrong type of an optional one',
      { card: { number: '4', expiry: { year: '2030' } }, save: true },
      ['args.card.expiry.year must be a number (got a string)'],
    ],
    ['null', { card: { number: null }, save: true }, ['args.card.number must be a string (got null)']],
    ['a parent that is a text, once', { card: '4', save: true }, ['args.card must be an object (got a string)']],
    ['a parent that is a list', { card: [], save: true }, ['args.card must be an object (got an array)']],
    [
      'a name with dots instead of nesting',
      { 'card.number': '4', save: true },
      ['args.card.number is required (string, nested instead of the key "card.number")'],
    ],
    [
      'several mistakes',
      { card: {}, save: 'true' },
      ['args.card.number is required (string)', 'args.save must be a boolean (got a string)'],
    ],
    ['a list', [], ['args must be an object (got an array)']],
    ['null as a whole', null, ['args must be an object (got null)']],
    ['what only the prototype has', { card: { number: '4' } }, ['args.save is required (boolean)']],
  ])('are invalid with %s', (_, args, messages) => {
    expect(findArgsDeviations(args, CARD).map(({ message }) => message)).toEqual(messages);
  });

  it.each([[{}], [[]], [[1, { a: 2 }]], [{ anything: { at: ['all'] } }]])(
    'may be any object or array if nothing is declared: %j',
    (args) => {
      expect(findArgsDeviations(args, [])).toEqual([]);
    },
  );

  it.each([['text'], [1], [true], [null]])('must not be a plain value: %j', (args) => {
    expect(findArgsDeviations(args, [])).toMatchObject([
      { path: [], message: expect.stringContaining('an object or an array') },
    ]);
  });

  it('have the position of an error, or of a missing value', () => {
    expect(findArgsDeviations({ card: { number: 4 } }, CARD).map(({ path }) => path)).toEqual([['card', 'number'], []]);
  });

  it('are not fooled by names of prototypes', () => {
    const parameters: RequestParameter[] = [
      { name: 'constructor.name', type: 'string' },
      { name: '__proto__', type: 'string' },
    ];
    expect(findArgsDeviations({}, parameters)).toHaveLength(2);
    expect(findArgsDeviations(JSON.parse('{"constructor":{"name":"x"},"__proto__":"y"}'), parameters)).toEqual([]);
  });
});

describe('a configuration', () => {
  const elements = [{ name: 'LIMIT', type: 'number' as const }];
  it.each<[unknown, string[]]>([
    [{ LIMIT: 1 }, []],
    [{ LIMIT: 1, MORE: 'x' }, []],
    [{}, ['configuration.LIMIT is required (number)']],
    [{ LIMIT: '1' }, ['configuration.LIMIT must be a number (got a string)']],
    [[], ['configuration must be an object (got an array)']],
  ])('%j is validated against its elements', (value, messages) => {
    expect(findConfigurationDeviations(value, elements).map(({ message }) => message)).toEqual(messages);
  });
});

describe('--cast', () => {
  const castArgs = (args: unknown) =>
    castRequest({ args, configuration: {} }, { request_parameters: CARD, configuration: [] }).args;
  const castSetting = (name: string, type: 'number' | 'boolean', value: unknown) => {
    const declared = { request_parameters: [], configuration: [{ name, type }] };
    return castRequest({ args: {}, configuration: { [name]: value } }, declared).configuration;
  };

  it('converts strings to the declared types, and plain values to strings', () => {
    const args = { card: { number: 42, expiry: { year: '2030' } }, save: 'true', other: '1' };
    expect(castArgs(args)).toEqual({ card: { number: '42', expiry: { year: 2030 } }, save: true, other: '1' });
    expect(args.save).toBe('true');
  });

  it.each([['12x'], [''], ['0x10'], ['NaN'], ['1,5'], ['Infinity'], [null], [['1']]])(
    'does not convert a string that is not a number: %j',
    (value) => {
      expect(castSetting('LIMIT', 'number', value)).toEqual({ LIMIT: value });
    },
  );

  it.each([['True'], ['yes'], ['1']])('does not convert a string that is not a boolean: %j', (value) => {
    expect(castSetting('ON', 'boolean', value)).toEqual({ ON: value });
  });

  it('does not convert args of another shape', () => {
    expect(castArgs({ card: '4' })).toEqual({ card: '4' });
    expect(castArgs([1])).toEqual([1]);
  });
});

describe('a response', () => {
  it.each<[unknown, string[], string[]]>([
    [{ raw: {} }, [], []],
    [{ tokenize: { data: 'x' } }, [], []],
    [{ raw: { a: 1 }, tokenize: {} }, [], []],
    [{ raw: 'text' }, [], ['raw must be an object (got a string)']],
    [{ raw: {}, tokenize: null }, [], ['tokenize must be an object (got null)']],
    [{ raw: [] }, ['raw must be an object (got an array)'], []],
    [{ raw: 1 }, ['raw must be an object (got a number)'], []],
    [{ tokenize: 'text' }, ['tokenize must be an object (got a string)'], []],
    [{}, [], ['neither raw nor tokenize']],
    [{ raw: {}, status: 200 }, [], ['unknown key "status"']],
    [undefined, ['nothing (undefined)'], []],
    [null, ['null'], []],
    ['text', ['a string'], []],
    [[], ['an array'], []],
  ])('%j is validated', (response, errors, warnings) => {
    const contain = (words: string[]) => words.map((word) => expect.stringContaining(word));
    expect(checkResponse(response)).toEqual({ errors: contain(errors), warnings: contain(warnings) });
  });
});

/** Elements in words: `a b:number c?`, the last of which is optional. */
const parseElements = (text: string) =>
  text.split(' ').flatMap((word) => {
    const [, name, type = 'string', optional] = /^([\w.]+):?(\w+)?(\?)?$/.exec(word) ?? [];
    return name ? [{ name, type: type as 'string' | 'number' | 'boolean', optional: optional ? true : null }] : [];
  });

describe('an example request', () => {
  it.each([
    ['', '', '{}', '{}'],
    ['card.number', 'BRANDS', '{"card":{"number":"text"}}', '{"BRANDS":"text"}'],
    ['a.b:number a.c:boolean', '', '{"a":{"b":1,"c":true}}', '{}'],
    ['a? b', '', '{"b":"text"}', '{}'],
    ['__proto__.a', '__proto__', '{"__proto__":{"a":"text"}}', '{"__proto__":"text"}'],
  ])('for "%s" and "%s" is %s and %s, and valid', (parameters, settings, args, values) => {
    const [request_parameters, configuration] = [parseElements(parameters), parseElements(settings)];
    const sample = createExampleRequest({ request_parameters, configuration });
    expect([JSON.stringify(sample.args), JSON.stringify(sample.configuration)]).toEqual([args, values]);
    expect(findArgsDeviations(sample.args, request_parameters)).toEqual([]);
    expect(findConfigurationDeviations(sample.configuration, configuration)).toEqual([]);
  });

  it.each(['a a.b', 'a.b a'])('prefers children to their parent: %s', (parameters) => {
    const { args } = createExampleRequest({ request_parameters: parseElements(parameters), configuration: [] });
    expect(args).toEqual({ a: { b: 'text' } });
  });
});
