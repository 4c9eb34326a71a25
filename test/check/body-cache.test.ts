/** Which bodies are kept in memory until they are sent. */
import { expect, it } from 'vitest';
import { createBoundedBodyCache } from '../../src/check/body-cache.ts';
import { hashFields } from '../../src/formula-fields.ts';
import type { FormulaBody } from '../../src/model.ts';

const body = (code: string, icon = ''): FormulaBody => ({
  name: 'a',
  type: 'private',
  code,
  ...(icon && { icon }),
  configuration: [],
  request_parameters: [],
});

it.each<[characters: number, bodies: FormulaBody[], kept: boolean[]]>([
  [10, [body('12345'), body('12345'), body('1')], [true, true, false]],
  [10, [body('12345678901'), body('1234567890'), body('1')], [false, true, false]],
  [10, [body('123456', '12345'), body('12345', '12345')], [false, true]],
  [0, [body(''), body('1')], [true, false]],
])(
  'keeps %d characters of codes and icons, and smaller ones after one that did not fit',
  (characters, bodies, kept) => {
    expect(bodies.map(createBoundedBodyCache(characters))).toEqual(
      bodies.map((one, i) => (kept[i] ? { body: one } : { hashes: hashFields(one) })),
    );
  },
);
