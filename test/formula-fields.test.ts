/** Whether two contents are the same, by what they say and by their hashes. */
import { describe, expect, it } from 'vitest';
import { fieldsToChange, hashContent } from '../src/formula-fields.ts';
import type { FormulaBody } from '../src/model.ts';

const BODY: FormulaBody = {
  name: 'Tokenize a card',
  type: 'private',
  code: 'module.exports = async () => ({});\n',
  configuration: [{ name: 'BRANDS', type: 'string' }],
  request_parameters: [],
};

describe('the hash of a content', () => {
  it('is the same in all versions, since files of earlier ones contain it', () => {
    expect(hashContent(BODY)).toBe('ZccTP7sJ_TMIQs3dgpuMYgq5EE4rMbA565RpsHMyXxI');
  });

  it.each<[string, Partial<FormulaBody>, Partial<FormulaBody>]>([
    ['where a text ends', { name: 'ab', description: 'c' }, { name: 'a', description: 'bc' }],
    ['lone surrogates', { description: 'a\ud800' }, { description: 'a\ud801' }],
    ['a character that is in no text', { description: 'a\ud800' }, { description: 'a\ufffd' }],
  ])('distinguishes %s', (_, one, other) => {
    expect(hashContent({ ...BODY, ...one })).not.toBe(hashContent({ ...BODY, ...other }));
  });
});

describe('the fields to change', () => {
  it.each<[string, Partial<FormulaBody>, Partial<FormulaBody>, string[]]>([
    ['none where all is the same', {}, {}, []],
    ['none that the folder does not set', {}, { description: 'kept', icon: 'data:image/png;base64,AAAA' }, []],
    ['those that differ', { description: 'a', code: 'x' }, { description: 'b', code: 'y' }, ['description', 'code']],
    ['those that differ in a lone surrogate', { description: 'a\ud800' }, { description: 'a\ud801' }, ['description']],
    ['those that differ in an icon', { icon: 'data:,a' }, { icon: 'data:,b' }, ['icon']],
  ])('are %s', (_, local, remote, fields) => {
    expect(fieldsToChange({ ...BODY, ...local }, { ...BODY, ...remote, id: '1' })).toEqual(fields);
  });
});
