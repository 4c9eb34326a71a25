import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigurationElement, RequestParameter, ValueType } from '../../../src/model.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../../../src/run/validate-request.ts';
import { findBreakingChanges, formatBreakingChanges } from '../../../src/sync/push/breaking-changes.ts';

const element = (text: string): RequestParameter => {
  const [name = '', type = '', ...rest] = text.split(' ');
  const description = rest.filter((word) => word !== 'optional').join(' ');
  return { name, type: type as ValueType, ...(rest.includes('optional') && { optional: true }), description };
};

/** Elements as `name type [optional] [description]`, one a comma. */
const elements = (text: string) => (text === '' ? [] : text.split(', ').map(element));

const compare = (field: 'configuration' | 'request_parameters', before: string, after: string) =>
  findBreakingChanges({ [field]: elements(before) }, { [field]: elements(after) });

describe('a change of the configuration', () => {
  it.each([
    ['nothing', 'KEY string', 'KEY string', []],
    ['a new setting', '', 'KEY string', ['added KEY (string) is new']],
    ['a second new setting', 'KEY string', 'KEY string, REGION string', ['added REGION (string) is new']],
    ['another type', 'KEY string', 'KEY number', ['retyped KEY is now a number (was a string)']],
    ['a removed setting', 'KEY string, REGION string', 'KEY string', []],
    ['all removed', 'KEY string', '', []],
    ['another order', 'A string, B number', 'B number, A string', []],
    ['another description', 'A string old', 'A string new', []],
    ['a rename', 'KEY string Key', 'API_KEY string Key', ['added API_KEY (string) is new (renamed from KEY?)']],
    ['two renames', 'A string, B string', 'C string, D string', ['added C (string) is new', 'added D (string) is new']],
    ['a rename of another type', 'A string', 'B number', ['added B (number) is new']],
    ['another letter case', 'key string', 'KEY string', ['added KEY (string) is new (renamed from key?)']],
    ['a name twice', 'A string', 'A string, A string', []],
  ])('breaks reactors or not: %s', (_, before, after, expected) => {
    expect(compare('configuration', before, after).map(({ why, name, detail }) => `${why} ${name} ${detail}`)).toEqual(
      expected,
    );
  });
});

describe('a change of the request parameters', () => {
  it.each([
    ['nothing', 'a string, b number optional', 'a string, b number optional', []],
    ['the first parameter', '', 'a string', ['added a (string) is new and required']],
    ['the first parameter, optional', '', 'a string optional', []],
    ['a new parameter', 'a string', 'a string, b number', ['added b (number) is new and required']],
    ['a new optional parameter', 'a string', 'a string, b number optional', []],
    ['a parameter that becomes required', 'a string optional', 'a string', ['required a (string) is now required']],
    ['a parameter that becomes optional', 'a string', 'a string optional', []],
    ['another type', 'a string', 'a boolean', ['retyped a is now a boolean (was a string)']],
    ['another optional type', 'a string optional', 'a number optional', ['retyped a is now a number (was a string)']],
    ['another type, and required', 'a string optional', 'a number', ['retyped a is now a number (was a string)']],
    ['a removed parameter', 'a string, b string', 'a string', []],
    ['the last parameter removed', 'a string', '', []],
    ['another order', 'a string, b number', 'b number, a string', []],
    ['a name twice', 'a string optional', 'a string optional, a string', ['required a (string) is now required']],
    ['a rename', 'card string', 'pan string', ['added pan (string) is new and required (renamed from card?)']],
    ['a rename to an optional one', 'card string', 'pan string optional', []],
    [
      'a new nested parameter',
      'card.number string',
      'card.number string, card.cvc string',
      ['added card.cvc (string) is new and required'],
    ],
    ['a new nested optional parameter', 'card.number string', 'card.number string, card.cvc string optional', []],
    ['a nested one now required', 'a.b.c string optional', 'a.b.c string', ['required a.b.c (string) is now required']],
    ['an object for a value', 'a string', 'a.b string optional', ['retyped a.b (string) is new, and a was a string']],
    ['a value for an object', 'a.b string', 'a string optional', ['retyped a (string) is new, and was an object']],
    ['a name that begins like another', 'a string', 'a string, ab.c string optional', []],
    ['the constructor', 'a string', 'a string, constructor string', ['added constructor (string) is new and required']],
  ])('breaks callers or not: %s', (_, before, after, expected) => {
    expect(
      compare('request_parameters', before, after).map(({ why, name, detail }) => `${why} ${name} ${detail}`),
    ).toEqual(expected);
  });
});

describe('breaking changes', () => {
  it('are found in both lists, and in a contract whose lists the service left out', () => {
    const after = { configuration: elements('KEY string, B number'), request_parameters: elements('a string') };
    expect(formatBreakingChanges(findBreakingChanges({ configuration: null }, after))).toBe(
      'breaks existing reactors: configuration KEY (string) is new, configuration B (number) is new, and existing callers: request parameter a (string) is new and required',
    );
  });

  const types = fc.constantFrom<ValueType>('string', 'boolean', 'number');
  const parameters = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'a.b', 'a.c', 'a.b.c', 'c'), type: types, optional: fc.boolean() }),
    { selector: ({ name }) => name, maxLength: 5 },
  );
  const settings = fc.uniqueArray(fc.record({ name: fc.constantFrom('A', 'B', 'C'), type: types }), {
    selector: ({ name }) => name,
  });
  const VALUES = { string: 'text', number: 1, boolean: true };

  /** All args with only declared members that can be made of the parameters: each one given or left out. */
  const listArgs = (declared: readonly RequestParameter[]) =>
    Array.from({ length: 2 ** declared.length }, (_, bits) =>
      declared
        .filter((_, index) => bits & (1 << index))
        .reduce<Record<string, unknown>>((args, { name, type }) => {
          const path = name.split('.');
          let at = args;
          for (const step of path.slice(0, -1)) {
            if (typeof at[step] !== 'object') at[step] = {};
            at = at[step] as Record<string, unknown>;
          }
          at[path.at(-1) ?? ''] = VALUES[type];
          return args;
        }, {}),
    );

  it('are exactly those after which args that were accepted are rejected', () => {
    fc.assert(
      fc.property(parameters, parameters, (before, after) => {
        const accepted = listArgs(before).filter((args) => findArgsDeviations(args, before).length === 0);
        const isRejected = (args: unknown) => findArgsDeviations(args, after).length > 0;
        const breaking = findBreakingChanges({ request_parameters: before }, { request_parameters: after });
        if (breaking.length === 0) expect(accepted.filter(isRejected)).toEqual([]);
        // A parameter in another one can never be given, so no change of it can be seen.
        const overlaps = before.some(({ name }) => before.some((other) => other.name.startsWith(`${name}.`)));
        if (breaking.length > 0 && !overlaps) expect(accepted.some(isRejected)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('are exactly those after which a configuration that was accepted is rejected', () => {
    const configure = (declared: readonly ConfigurationElement[]) =>
      Object.fromEntries(declared.map(({ name, type }) => [name, VALUES[type]]));
    fc.assert(
      fc.property(settings, settings, (before, after) => {
        const isBreaking = findBreakingChanges({ configuration: before }, { configuration: after }).length > 0;
        expect(findConfigurationDeviations(configure(before), after).length > 0).toBe(isBreaking);
      }),
    );
  });
});
