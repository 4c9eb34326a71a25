/** Formulas as services hold them and as folders can say them, drawn at random. */
import fc from 'fast-check';
import type { Formula } from '../../src/model.ts';
import { JPEG, PIXEL } from './folders.ts';

const png = `data:image/png;base64,${PIXEL.toString('base64')}`;
const jpg = `data:image/jpg;base64, ${JPEG.toString('base64')}`;

const elements = <T>(more: fc.Arbitrary<T>) =>
  fc
    .uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 3 })
    .chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc.record({
            name: fc.constant(name),
            type: fc.constantFrom('string' as const, 'boolean' as const, 'number' as const),
            description: fc.option(fc.string({ unit: 'binary' })),
            more,
          }),
        ),
      ),
    )
    .map((list) => list.map(({ more: extra, ...element }) => ({ ...element, ...extra })));

/** Formulas as services hold them, with any name, code and icon. */
export const anyFormulas = (code: fc.Arbitrary<string>, name: fc.Arbitrary<string>) =>
  fc
    .array(
      fc.record({
        name,
        code,
        description: fc.option(fc.string({ unit: 'binary' })),
        type: fc.constant('private'),
        icon: fc.option(fc.constantFrom(png, jpg, '', jpg.replace('jpg', 'jpeg'))),
        configuration: elements(fc.constant({})),
        request_parameters: elements(fc.record({ optional: fc.option(fc.boolean()) })),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((list) => list.map((formula, i): Formula => ({ id: `id-${i}`, ...formula })));

export const anyText = fc.string({ unit: 'binary', maxLength: 60 });
export const legalName = anyText.filter((text) => text.trim() !== '');
export const legalCode = fc
  .tuple(
    fc.constantFrom('', '\ufeff', '// \u2028', '/* \ud83d\ude00 */'),
    anyText,
    fc.constantFrom('', '\n', '\r\n', '\r'),
  )
  .map(
    ([start, text, end]) => `${start}${end}module.exports = async () => (${JSON.stringify({ raw: { text } })});${end}`,
  );
