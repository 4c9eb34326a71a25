import { describe, expect, it } from 'vitest';
import { parseFormulaBody } from '../../src/service/formula-body.ts';
import type { HttpProblem } from '../../src/service/problem.ts';
import { bodyOf } from './fixture.ts';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const element = (more: Record<string, unknown>) => ({ name: 'a', type: 'string', ...more });
const MISSING = Symbol('missing');

function errorsOf(body: Record<string, unknown>): unknown {
  const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== MISSING));
  try {
    return parseFormulaBody(sent);
  } catch (error) {
    return (error as HttpProblem).errors;
  }
}

describe('a body is rejected', () => {
  it.each([
    ['name', { name: MISSING }, 'is required'],
    ['name', { name: null }, 'must be a string'],
    ['name', { name: '' }, 'must not be empty'],
    ['name', { name: ' \t' }, 'must not be blank'],
    ['name', { name: 'é'.repeat(201) }, 'must be at most 200 characters long'],
    ['description', { description: 5 }, 'must be a string or null'],
    ['type', { type: MISSING }, 'is required'],
    ['type', { type: 'public' }, 'must be one of: official, private'],
    ['code', { code: MISSING }, 'is required'],
    ['code', { code: null }, 'must be a string'],
    ['configuration', { configuration: {} }, 'must be an array'],
    ['configuration[0]', { configuration: ['x'] }, 'must be an object'],
    ['configuration[0]', { configuration: [null] }, 'must be an object'],
    ['configuration[1].type', { configuration: [element({}), { name: 'b' }] }, 'is required'],
    [
      'configuration[0].type',
      { configuration: [element({ type: 'object' })] },
      'must be one of: string, boolean, number',
    ],
    [
      'configuration[0].name',
      { configuration: [element({ name: 'a.b' })] },
      'must not contain a dot: configuration is not nested',
    ],
    ['request_parameters[0].name', { request_parameters: [element({ name: '' })] }, 'must not be empty'],
    [
      'request_parameters[1].name',
      { request_parameters: [element({}), element({ name: 'a..b' })] },
      'must be names separated by single dots, such as parent.child',
    ],
    [
      'request_parameters[0].optional',
      { request_parameters: [element({ optional: 'yes' })] },
      'must be true or false or null',
    ],
  ])('at %s for %j', (field, change, message) => {
    expect(errorsOf(bodyOf(change))).toEqual({ [field]: [message] });
  });

  it.each([
    7,
    'icon.png',
    'data:image/png;base64,',
    'data:image/png;base64, ',
    'data:image/png;base64,  iVBORw0KGgo=',
    'data:image/png;base64,iVBORw0KGgo',
    'data:image/png;base64,iVBO=w0KGgo=',
    'data:image/png,iVBORw0KGgo=',
    'data:image/svg+xml;base64,iVBORw0KGgo=',
    'data:image/png;base64,iVBORw0KGgo=\n',
    'data:image/png;base64,iVBORw0KG-_=',
  ])('for the icon %j', (icon) => {
    const wanted = 'must be a base64 data URL of an image/png, image/jpg or image/jpeg';
    expect(errorsOf(bodyOf({ icon }))).toEqual({ icon: [wanted] });
  });

  it('with all its errors at once', () => {
    expect(Object.keys(errorsOf({ configuration: [{}], icon: 1 }) as object).sort()).toEqual([
      'code',
      'configuration[0].name',
      'configuration[0].type',
      'icon',
      'name',
      'type',
    ]);
  });
});

describe('a body is accepted', () => {
  it.each([
    ['a name of 200 characters outside the basic plane', { name: '🧪'.repeat(200) }],
    ['empty code', { code: '' }],
    ['nested request parameters', { request_parameters: [element({ name: 'a.b.c', optional: true })] }],
    ['a png icon', { icon: PNG }],
    ['a space after the comma of an icon', { icon: PNG.replace(',', ', ') }],
    ['a jpg icon', { icon: PNG.replace('png', 'jpg') }],
    ['a jpeg icon of a megabyte', { icon: `data:image/jpeg;base64,${'AAAA'.repeat(2 ** 18)}` }],
  ])('with %s, which is stored unchanged', (_title, change) => {
    expect(parseFormulaBody(bodyOf(change))).toMatchObject(change);
  });

  it.each([
    ['null', null],
    ['absent', undefined],
  ])('with lists that are %s, as empty lists', (_title, value) => {
    const body = bodyOf({ configuration: value, request_parameters: value });
    expect(parseFormulaBody(body)).toMatchObject({ configuration: [], request_parameters: [] });
  });

  it.each([undefined, null, ''])('with the icon %j as no icon', (icon) => {
    expect(parseFormulaBody(bodyOf({ icon }))).toMatchObject({ icon: null, description: null });
  });

  it('without unknown keys, also in elements and with the name of the prototype', () => {
    const sent = JSON.parse(
      '{"__proto__": {"code": "stolen"}, "id": 1, "status": "odd", "name": "n", "type": "private", "code": "c",' +
        '"configuration": [{"name": "a", "type": "string", "optional": 5, "__proto__": {"x": 1}, "constructor": 1}],' +
        '"request_parameters": [{"type": "number", "name": "b", "optional": null, "default": 1}]}',
    );
    const checked = parseFormulaBody(sent);
    expect(checked).toEqual({
      name: 'n',
      description: null,
      type: 'private',
      icon: null,
      code: 'c',
      configuration: [{ name: 'a', type: 'string' }],
      request_parameters: [{ type: 'number', name: 'b', optional: null }],
    });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
