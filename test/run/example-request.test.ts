import { describe, expect, it } from 'vitest';
import { createExampleRequest } from '../../src/run/example-request.ts';
import { findArgsDeviations, findConfigurationDeviations } from '../../src/run/validate-request.ts';

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
