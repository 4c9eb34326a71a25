import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitGraphemes } from '../../src/output/graphemes.ts';
import { wrap } from '../../src/output/wrap.ts';
import { runs } from '../helpers/runs.ts';

const FAMILY = '👨‍👩‍👧‍👦';

describe('the characters of a string', () => {
  it('are those of Node.js for the complete string, wherever a window ends', () => {
    const parts = fc.array(fc.constantFrom('a', 'é', 'e\u0301', FAMILY, '🇩🇪', '日', 'x'.repeat(500), ' '), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(parts, fc.nat(30), (some, start) => {
        const text = 'y'.repeat(490 + start) + some.join('');
        const whole = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
        expect([...splitGraphemes(text)]).toEqual(whole);
      }),
      { numRuns: runs(40) },
    );
  });

  it('are found in one word of four hundred thousand, which is then wrapped', () => {
    const lines = wrap('data:a'.repeat(66_000), 40, true);
    expect(lines).toHaveLength(9_900);
    expect(lines.join('')).toHaveLength(396_000);
  });
});
