/** Which bodies are kept until they are sent. */
import { expect, it } from 'vitest';
import { keepWithin } from '../../src/commands/formula/kept-bodies.ts';
import { bodyOf, printsOf } from '../../src/content.ts';

const body = (code: string, icon?: string) =>
  bodyOf({
    id: '',
    name: 'a',
    description: null,
    type: 'private',
    code,
    ...(icon && { icon }),
    configuration: [],
    request_parameters: [],
  });

it.each<[characters: number, bodies: ReturnType<typeof body>[], kept: boolean[]]>([
  [10, [body('12345'), body('12345'), body('1')], [true, true, false]],
  [10, [body('12345678901'), body('1234567890'), body('1')], [false, true, false]],
  [10, [body('123456', '12345'), body('12345', '12345')], [false, true]],
  [0, [body(''), body('1')], [true, false]],
])('keeps %d characters of codes and icons, and what still fits after one that did not', (characters, bodies, kept) => {
  const keep = keepWithin(characters);
  expect(bodies.map(keep)).toEqual(bodies.map((body, i) => (kept[i] ? { body } : { prints: printsOf(body) })));
});
