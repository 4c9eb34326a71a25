import { describe, expect, it } from 'vitest';
import { createExampleRequest } from '../../src/run/example-request.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../../src/run/validate-request.ts';

const string = 'string' as const;

describe('an example request', () => {
  it.each([
    [[], [], '{}', '{}'],
    [
      [{ name: 'card.number', type: string }],
      [{ name: 'BRANDS', type: string }],
      '{"card":{"number":"text"}}',
      '{"BRANDS":"text"}',
    ],
    [
      [
        { name: 'a.b', type: 'number' as const },
        { name: 'a.c', type: 'boolean' as const },
      ],
      [],
      '{"a":{"b":1,"c":true}}',
      '{}',
    ],
    [
      [
        { name: 'a', type: string, optional: true },
        { name: 'b', type: string, optional: null },
      ],
      [],
      '{"b":"text"}',
      '{}',
    ],
    [
      [{ name: '__proto__.a', type: string }],
      [{ name: '__proto__', type: string }],
      '{"__proto__":{"a":"text"}}',
      '{"__proto__":"text"}',
    ],
  ])('for %j and %j is %s and %s, and valid', (request_parameters, configuration, args, settings) => {
    const sample = createExampleRequest({ request_parameters, configuration });
    expect([JSON.stringify(sample.args), JSON.stringify(sample.configuration)]).toEqual([args, settings]);
    expect(findArgsDeviations(sample.args, request_parameters)).toEqual([]);
    expect(findConfigurationDeviations(sample.configuration, configuration)).toEqual([]);
  });

  it('prefers children to their parent, in any order', () => {
    const [parent, child] = [
      { name: 'a', type: string },
      { name: 'a.b', type: string },
    ];
    for (const request_parameters of [
      [parent, child],
      [child, parent],
    ])
      expect(JSON.stringify(createExampleRequest({ request_parameters, configuration: [] }).args)).toBe(
        '{"a":{"b":"text"}}',
      );
  });
});
