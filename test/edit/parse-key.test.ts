import { describe, expect, it } from 'vitest';
import { formatKey, type KeyStep, parseAssignment, parseKey } from '../../src/edit/parse-key.ts';

const key = (text: string): KeyStep => ({ kind: 'key', key: text });
const index = (at: number): KeyStep => ({ kind: 'index', index: at });
const name = (text: string): KeyStep => ({ kind: 'name', name: text });

describe('a KEY', () => {
  it.each<[string, KeyStep[]]>([
    ['description', [key('description')]],
    ['$schema', [key('$schema')]],
    ['x-owner', [key('x-owner')]],
    ['Größe', [key('Größe')]],
    ['configuration[REGION].type', [key('configuration'), name('REGION'), key('type')]],
    ['request_parameters[card.number].optional', [key('request_parameters'), name('card.number'), key('optional')]],
    ['configuration[0]', [key('configuration'), index(0)]],
    ['configuration["0"]', [key('configuration'), name('0')]],
    ['configuration[card holder].type', [key('configuration'), name('card holder'), key('type')]],
    ['configuration["a]b\\"c=\\u00e9"].type', [key('configuration'), name('a]b"c=é'), key('type')]],
    ['["my key"]', [name('my key')]],
    ['["my key"][1][x]', [name('my key'), index(1), name('x')]],
    ['configuration[""].name', [key('configuration'), name(''), key('name')]],
    ['configuration[-1]', [key('configuration'), name('-1')]],
  ])('%s is parsed, and formatted in the same way', (text, steps) => {
    expect(parseKey(text)).toEqual({ steps, text });
    expect(parseKey(formatKey(steps))).toMatchObject({ steps });
  });

  it.each<[string, string]>([
    ['', 'it ends too early'],
    ['configuration[', 'unexpected "["'],
    ['configuration[]', 'unexpected "[]"'],
    ['configuration["x]', 'unexpected "[\\"x]"'],
    ['configuration["\\x"]', '"\\x" is not a JSON string'],
    ['configuration.', 'it ends too early'],
    ['configuration..type', 'unexpected ".type"'],
    ['.type', 'unexpected ".type"'],
    ['a b', 'unexpected " b"'],
    ['a=b', 'unexpected "=b"'],
    ['0', 'unexpected "0"'],
  ])('%j is rejected: %s', (text, problem) => {
    expect(parseKey(text)).toEqual({ problem });
  });
});

describe('an assignment', () => {
  it.each<[string, string, string]>([
    ['description=', 'description', ''],
    ['description=a=b', 'description', 'a=b'],
    ['configuration[a=b].type=string', 'configuration[a=b].type', 'string'],
    ['configuration["]="].description=x y\n', 'configuration["]="].description', 'x y\n'],
  ])('%j ends its KEY at the first = outside of a name', (text, keyText, value) => {
    expect(parseAssignment(text)).toMatchObject({ key: { text: keyText }, value });
  });

  it.each<[string, string]>([
    ['description', 'has no "="'],
    ['description x=1', 'unexpected " x=1"'],
    ['=1', 'unexpected "=1"'],
  ])('%j is rejected: %s', (text, problem) => {
    expect(parseAssignment(text)).toEqual({ problem });
  });
});
