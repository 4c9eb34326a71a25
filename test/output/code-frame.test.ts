import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createFrameFormatter } from '../../src/output/code-frame.ts';

describe('a code frame', () => {
  it('shows the line with its neighbors and a caret under the position', () => {
    expect(createFrameFormatter('code.js', 'one\ntwo\nthree\nfour', 80)({ line: 2, column: 3 })).toBe(
      '  1 | one\n> 2 | two\n    |   ^\n  3 | three',
    );
  });

  it('works at the start and end of a file', () => {
    expect(createFrameFormatter('code.js', 'one', 80)({ line: 1, column: 1 })).toBe('> 1 | one\n    | ^');
    expect(createFrameFormatter('code.js', '', 80)({ line: 1, column: 1 })).toBe('> 1 |\n    | ^');
  });

  it('aligns the numbers of its lines', () => {
    const text = Array.from({ length: 12 }, (_, i) => `line ${i + 1}`).join('\n');
    expect(createFrameFormatter('code.js', text, 80)({ line: 9, column: 1 }).split('\n')).toEqual([
      '   8 | line 8',
      '>  9 | line 9',
      '     | ^',
      '  10 | line 10',
    ]);
  });

  it.each([
    ['tabs', '\tx', 2, '> 1 |   x\n    |   ^'],
    ['wide characters', '漢字x', 3, '> 1 | 漢字x\n    |     ^'],
    ['control characters', '\x1bx', 2, '> 1 | \\u001bx\n    |       ^'],
    ['CR LF', 'x\r\ny', 1, '> 1 | x\n    | ^\n  2 | y'],
  ])('puts the caret right with %s', (_, text, column, frame) => {
    expect(createFrameFormatter('code.js', text, 80)({ line: 1, column })).toBe(frame);
  });

  it('counts a line separator as the end of a line in code, and not in JSON', () => {
    expect(createFrameFormatter('code.js', "'\u2028';\nx", 80)({ line: 3, column: 1 })).toContain('> 3 | x');
    expect(createFrameFormatter('manifest.json', '"\u2028"\nx', 80)({ line: 2, column: 1 })).toContain('> 2 | x');
  });

  it('is truncated between characters only', () => {
    for (let width = 20; width < 40; width++) {
      const frame = createFrameFormatter('code.js', '😀'.repeat(90), width)({ line: 1, column: 121 });
      expect(frame.isWellFormed()).toBe(true);
      for (const line of frame.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it.each([40, 80, 160])('of one long line is not wider than %d, and still shows the position', (width) => {
    const text = `${'a'.repeat(5000)}HERE${'b'.repeat(5000)}`;
    const [line = '', caret = ''] = createFrameFormatter('code.js', text, width)({ line: 1, column: 5001 }).split('\n');
    expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(line.slice(caret.indexOf('^'))).toMatch(/^HERE/);
  });
});
