/** Which bodies are kept until they are sent. */
import { expect, it } from 'vitest';
import { keepWithin } from '../../src/check/body-cache.ts';
import type { Content } from '../../src/check/check-folder.ts';
import { printsOf } from '../../src/formula-content.ts';

const STAMP = { paths: [], marks: '' };

const content = (code: string, icon = ''): Pick<Content, 'body' | 'stamp'> => ({
  body: { name: 'a', type: 'private' as const, code, ...(icon && { icon }), configuration: [], request_parameters: [] },
  stamp: STAMP,
});

it.each<[characters: number, contents: ReturnType<typeof content>[], kept: boolean[]]>([
  [10, [content('12345'), content('12345'), content('1')], [true, true, false]],
  [10, [content('12345678901'), content('1234567890'), content('1')], [false, true, false]],
  [10, [content('123456', '12345'), content('12345', '12345')], [false, true]],
  [10, [{ ...content('12345'), stamp: undefined }, content('1234567890')], [false, true]],
  [0, [content(''), content('1')], [true, false]],
])(
  'keeps %d characters of codes and icons that have a stamp, and what still fits after one that did not',
  (characters, contents, kept) => {
    expect(contents.map(keepWithin(characters))).toEqual(
      contents.map(({ body, stamp }, i) => (kept[i] ? { body, stamp } : { prints: printsOf(body) })),
    );
  },
);
