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
const PNG = `data:image/png;base64,${PNG_DATA}`;
const CARD = { name: 'card', type: 'string' };
const [A, B] = [{ name: 'A' }, { name: 'B' }];

const merge = (local: object, remote: object, removeIcon = false) =>
  mergeFormula({ ...LOCAL, ...local }, { ...REMOTE, ...remote }, { removeIcon });

describe('a folder merged with the remote formula', () => {
  it.each<[string, object, object, string[]]>([
    ['the same', {}, {}, []],
    ['null for what the folder lacks', { icon: undefined, description: null }, { description: null, icon: null }, []],
    ['defaults of elements', {}, { request_parameters: [{ ...CARD, description: null, optional: false }] }, []],
    ['lists that the service gives as null', { configuration: [] }, { configuration: null }, []],
    [
      'two names of JPEG',
      { icon: `data:image/jpeg;base64,${JPEG_DATA}` },
      { icon: `data:image/jpg;base64, ${JPEG_DATA}` },
      [],
    ],
    ['another name', { name: 'x' }, {}, ['name']],
    ['code that differs in one byte', { code: LOCAL.code.trimEnd() }, {}, ['code']],
    ['elements in another order', { configuration: [B, A] }, { configuration: [A, B] }, ['configuration']],
    ['an optional parameter', { request_parameters: [{ ...CARD, optional: true }] }, {}, ['request_parameters']],
    ['a cleared description', { description: null }, {}, ['description']],
    ['two fields', { description: 'y', icon: 'data:image/png;base64,BBBB' }, {}, ['description', 'icon']],
  ])('%s', (_, local, remote, changed) => {
    expect(merge(local, remote).changed).toEqual(changed);
  });

  it.each<[string, object, object, string[]]>([
    ['an icon and a description that the folder does not set', {}, {}, ['icon', 'description']],
    ['no missing fields', { icon: 'x' }, { description: null }, []],
    ['no empty description, as in a plan', { icon: 'x' }, { icon: 'x', description: '' }, []],
  ])('preserves %s', (_, local, remote, preserved) => {
    const { icon: _icon, description: _description, ...bare } = LOCAL;
    const merged = mergeFormula({ ...bare, ...local }, { ...REMOTE, ...remote }, { removeIcon: false });
    expect(merged.preserved).toEqual(preserved);
    if (preserved.length > 0 || 'icon' in remote) expect(merged).toMatchObject({ changed: [] });
    if (preserved.length > 0) expect(merged.body).toEqual(LOCAL);
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
    expect(merge({ icon: PNG }, { icon })).toMatchObject({ body: { icon }, changed: [] });
    expect(merge({ icon: PNG, code: 'x' }, { icon })).toMatchObject({ body: { icon, code: 'x' }, changed: ['code'] });
  });

  it.each(['data:image/png;base64,AAAB', `data:image/png;base64,${JPEG_DATA}`, 'data:,x', 'x', ''])(
    'sends its own icon if the remote one differs: %s',
    (icon) => {
      expect(merge({ icon: PNG }, { icon })).toMatchObject({ body: { icon: PNG }, changed: ['icon'] });
    },
  );

  it('clears the icon only if requested', () => {
    const { icon: _, ...withoutIcon } = LOCAL;
    const { body, preserved, changed } = mergeFormula(withoutIcon, REMOTE, { removeIcon: true });
    expect(body.icon).toBeNull();
    expect(preserved).toEqual([]);
    expect(changed).toEqual(['icon']);
  });
});
