import { describe, expect, it } from 'vitest';
import { createManifestLookup, parseFieldLocation } from '../../src/folder/field-location.ts';

describe('a field path of a service', () => {
  it.each<[string, (string | number)[]]>([
    ['name', ['name']],
    ['$.name', ['name']],
    ['#/name', ['name']],
    ['Name', ['name']],
    ['body.name', ['name']],
    ['formula.configuration.0.name', ['configuration', 0, 'name']],
    ['request_parameters[0].type', ['request_parameters', 0, 'type']],
    ['requestParameters.0.type', ['request_parameters', 0, 'type']],
    ['RequestParameters[12].Type', ['request_parameters', 12, 'type']],
    ["$['request_parameters'][1]['optional']", ['request_parameters', 1, 'optional']],
    ['/configuration/0/type', ['configuration', 0, 'type']],
    ['configuration', ['configuration']],
  ])('%s is a path of the manifest', (field, path) => {
    expect(parseFieldLocation(field)).toEqual({ path });
  });

  it.each([
    ['code', 'code'],
    ['$.Icon', 'icon'],
  ])('%s is a file', (field, file) => {
    expect(parseFieldLocation(field)).toEqual({ file });
  });

  it.each(['', 'id', '$', '[0]', 'a.b.name', '__proto__', 'x'.repeat(10_000)])('%j is not in a folder', (field) => {
    expect(parseFieldLocation(field)).toBeUndefined();
  });

  it('that does not exist has the position of its nearest parent', () => {
    const place = createManifestLookup('{\n  "name": "x",\n  "configuration": [\n    {"name": "a"}\n  ]\n}');
    expect(place(['name'])).toEqual({ line: 2, column: 11 });
    expect(place(['configuration', 0, 'type'])).toEqual({ line: 4, column: 5 });
    expect(place(['configuration', 7, 'type'])).toEqual({ line: 3, column: 20 });
  });
});
