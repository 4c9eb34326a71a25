/** Which bodies are kept until they are sent. */
import { expect, it } from 'vitest';
import { createBoundedBodyCache } from '../../src/check/body-cache.ts';
import type { CheckedContent } from '../../src/check/check-folder.ts';
import { hashFields } from '../../src/formula-content.ts';

const STAMP = { paths: [], signature: '' };

const content = (code: string, icon = ''): Pick<CheckedContent, 'body' | 'statSignature'> => ({
  body: { name: 'a', type: 'private' as const, code, ...(icon && { icon }), configuration: [], request_parameters: [] },
  statSignature: STAMP,
});

it.each<[characters: number, contents: ReturnType<typeof content>[], kept: boolean[]]>([
  [10, [content('12345'), content('12345'), content('1')], [true, true, false]],
  [10, [content('12345678901'), content('1234567890'), content('1')], [false, true, false]],
  [10, [content('123456', '12345'), content('12345', '12345')], [false, true]],
  [10, [{ ...content('12345'), statSignature: undefined }, content('1234567890')], [false, true]],
  [0, [content(''), content('1')], [true, false]],
])(
  'keeps %d characters of codes and icons that have a stamp, and what still fits after one that did not',
  (characters, contents, kept) => {
    expect(contents.map(createBoundedBodyCache(characters))).toEqual(
      contents.map(({ body, statSignature }, i) => (kept[i] ? { body, statSignature } : { hashes: hashFields(body) })),
    );
  },
);
