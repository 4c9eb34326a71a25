import { describe, expect, it } from 'vitest';
import type { Formula, FormulaBody } from '../../src/model.ts';
import { mergeFormula } from '../../src/sync/merge-formula.ts';
import { JPEG, PIXEL } from '../helpers/folders.ts';

const LOCAL: FormulaBody = {
  name: 'Tokenize a card',
  description: 'Tokenizes a card',
  type: 'private',
  icon: 'data:image/png;base64,AAAA',
  code: 'module.exports = async () => ({});\n',
  configuration: [{ name: 'BRANDS', type: 'string' }],
  request_parameters: [{ name: 'card', type: 'string' }],
};
const REMOTE: Formula = { id: '1', status: 'verified', created_at: '2026-01-01T00:00:00Z', ...LOCAL };

const [PNG_DATA, JPEG_DATA] = [PIXEL.toString('base64'), JPEG.toString('base64')];
const { icon: _i, ...withoutIcon } = LOCAL;
const { description: _d, ...withoutDescription } = LOCAL;

describe('a folder merged with the remote formula', () => {
  it.each<[string, FormulaBody, Formula, string[]]>([
    ['the same', LOCAL, REMOTE, []],
    [
      'nulls where the folder has nothing',
      { ...withoutIcon, description: null },
      { ...REMOTE, description: null, icon: null },
      [],
    ],
    [
      'defaults that the service writes out',
      LOCAL,
      { ...REMOTE, request_parameters: [{ name: 'card', type: 'string', description: null, optional: false }] },
      [],
    ],
    ['lists that the service gives as null', { ...LOCAL, configuration: [] }, { ...REMOTE, configuration: null }, []],
    [
      'the two names of JPEG',
      { ...LOCAL, icon: `data:image/jpeg;base64,${JPEG_DATA}` },
      { ...REMOTE, icon: `data:image/jpg;base64, ${JPEG_DATA}` },
      [],
    ],
    ['another name', { ...LOCAL, name: 'x' }, REMOTE, ['name']],
    ['code that differs in one byte', { ...LOCAL, code: LOCAL.code.trimEnd() }, REMOTE, ['code']],
    [
      'elements in another order',
      {
        ...LOCAL,
        configuration: [
          { name: 'B', type: 'string' },
          { name: 'A', type: 'string' },
        ],
      },
      {
        ...REMOTE,
        configuration: [
          { name: 'A', type: 'string' },
          { name: 'B', type: 'string' },
        ],
      },
      ['configuration'],
    ],
    [
      'a parameter that became optional',
      { ...LOCAL, request_parameters: [{ name: 'card', type: 'string', optional: true }] },
      REMOTE,
      ['request_parameters'],
    ],
    ['a cleared description', { ...LOCAL, description: null }, REMOTE, ['description']],
    [
      'everything at once',
      { ...LOCAL, description: 'y', icon: 'data:image/png;base64,BBBB' },
      REMOTE,
      ['description', 'icon'],
    ],
  ])('%s', (_, local, remote, changed) => {
    expect(mergeFormula(local, remote, { removeIcon: false }).changed).toEqual(changed);
  });

  it('preserves an icon and a description that the folder does not set, and returns which', () => {
    const { icon: _, description: __, ...bare } = LOCAL;
    const { body, preserved, changed } = mergeFormula(bare, REMOTE, { removeIcon: false });
    expect(body).toEqual(LOCAL);
    expect(preserved).toEqual(['icon', 'description']);
    expect(changed).toEqual([]);
  });

  it.each([
    `data:image/png;base64,${PNG_DATA}`,
    `data:image/png;base64, ${PNG_DATA}`,
    `data:image/jpg;base64,${PNG_DATA}`,
    `DATA:Image/PNG;name=a.png;BASE64,${PNG_DATA}`,
    `data:image/png;base64,${PNG_DATA.replace(/=+$/, '')}`,
    `data:image/png;base64,${PNG_DATA.replace(/(.{20})/g, '$1\r\n')}`,
    `data:;base64,${PNG_DATA}`,
  ])('sends the data URL of the remote icon if it has the same bytes: %s', (icon) => {
    const local = { ...LOCAL, icon: `data:image/png;base64,${PNG_DATA}` };
    expect(mergeFormula(local, { ...REMOTE, icon }, { removeIcon: false })).toMatchObject({
      body: { icon },
      changed: [],
    });
    const changed = mergeFormula({ ...local, code: 'x' }, { ...REMOTE, icon }, { removeIcon: false });
    expect(changed).toMatchObject({ body: { icon, code: 'x' }, changed: ['code'] });
  });

  it.each(['data:image/png;base64,AAAB', `data:image/png;base64,${JPEG_DATA}`, 'data:,x', 'x', ''])(
    'sends its own icon if the remote one differs: %s',
    (icon) => {
      const local = { ...LOCAL, icon: `data:image/png;base64,${PNG_DATA}` };
      const merge = mergeFormula(local, { ...REMOTE, icon }, { removeIcon: false });
      expect(merge).toMatchObject({ body: { icon: local.icon }, changed: ['icon'] });
    },
  );

  it('clears the icon only if requested', () => {
    const { body, preserved, changed } = mergeFormula(withoutIcon, REMOTE, { removeIcon: true });
    expect(body.icon).toBeNull();
    expect(preserved).toEqual([]);
    expect(changed).toEqual(['icon']);
  });

  it('preserves no missing fields', () => {
    expect(mergeFormula(withoutDescription, { ...REMOTE, description: null }, { removeIcon: false }).preserved).toEqual(
      [],
    );
  });

  it('preserves no empty description, as in a plan', () => {
    const { preserved, changed } = mergeFormula(
      withoutDescription,
      { ...REMOTE, description: '' },
      { removeIcon: false },
    );
    expect([preserved, changed]).toEqual([[], []]);
  });
});
