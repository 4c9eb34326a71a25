import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { formatDefinitionList, wrap } from '../../src/output/wrap.ts';
import { wrapMessage } from '../../src/output/wrap-message.ts';

describe('a wrapped string', () => {
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['one', 3, ['one']],
    ['', 5, ['']],
    ['a 0123456789 b', 4, ['a', '0123', '4567', '89 b']],
    ['漢字の名前', 4, ['漢字', 'の名', '前']],
    ['👩‍👩‍👧👩‍👩‍👧', 2, ['👩‍👩‍👧', '👩‍👩‍👧']],
    ['漢', 1, ['漢']],
    ['a ::error::b', 10, ['a', '\\u003a:error::b']],
  ])('%j in %d cells is %j', (text, width, lines) => {
    expect(wrap(text, width, true)).toEqual(lines);
  });

  it('breaks words only if they may be broken', () => {
    expect(wrap('a 0123456789 b', 4)).toEqual(['a', '0123456789', 'b']);
  });
});

describe('labels with descriptions', () => {
  const rows = [
    ['id', '33333333-3333-4333-8333-333333333333'],
    ['configuration', 'what the reactor is set to, in many words'],
  ] as const;

  it.each([20, 40, 80, 160])('in %d columns are never wider, and lose nothing', (width) => {
    const lines = formatDefinitionList(rows, { width });
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    const text = lines.join('').replaceAll(' ', '');
    for (const [label, value] of rows) {
      expect(text).toContain(label);
      expect(text).toContain(value.replaceAll(' ', ''));
    }
  });

  it('put a word under its label if it would be broken next to it', () => {
    const [[, id]] = rows;
    expect(
      formatDefinitionList(
        [
          ['modified_by', id],
          ['type', 'private'],
        ],
        { width: 40 },
      ),
    ).toEqual(['modified_by', `  ${id}`, 'type         private']);
  });

  it('break no word if requested, for strings that are copied', () => {
    const key = 'k'.repeat(50);
    expect(formatDefinitionList([['key', key]], { width: 40, keepsWords: true })).toEqual(['key', `  ${key}`]);
  });

  it('are next to each other if there is room, otherwise on two lines', () => {
    expect(
      formatDefinitionList(
        [
          ['name', 'a card'],
          ['id', '1'],
        ],
        { width: 40 },
      ),
    ).toEqual(['name  a card', 'id    1']);
    expect(formatDefinitionList([['request_parameters', 'a text of some length']], { width: 30 })).toEqual([
      'request_parameters',
      '  a text of some length',
    ]);
  });
});

const TERMINAL = { isTerminal: true, columns: 40 };

describe('a message on a terminal', () => {
  it.each([
    ['a text without a label that is longer than the line', 'a text without a label that is longer\n  than the line'],
    ['  card/code.js: a text that is longer than the line', '  card/code.js: a text that is longer\n    than the line'],
    ['error: short', 'error: short'],
    [`note: ${'x'.repeat(50)} is kept`, `note:\n      ${'x'.repeat(50)}\n      is kept`],
    [
      'hint: See https://service.example/a/path/that-is/longer/than-the-line?and=a-query',
      'hint: See\n      https://service.example/a/path/that-is/longer/than-the-line?and=a-query',
    ],
    ['', ''],
  ])('is wrapped at words, with a hanging indent: %j', (text, wrapped) => {
    expect(wrapMessage(text, TERMINAL)).toBe(wrapped);
  });

  it.each([
    [
      'hint: To restore the previous version, run: formulary formula restore 0123456789',
      'hint: To restore the previous version,\n      run:\n        formulary formula restore 0123456789',
    ],
    [
      'next: formulary formula push formulas/greet --base-url http://127.0.0.1:8600',
      'next:\n      formulary formula push formulas/greet --base-url http://127.0.0.1:8600',
    ],
    [
      "To see it, run: git -C '/a folder with spaces' fetch --unshallow",
      "To see it, run:\n  git -C '/a folder with spaces' fetch --unshallow",
    ],
    [
      "  formulary formula restore 'a long name of a formula' --local",
      "  formulary formula restore 'a long name of a formula' --local",
    ],
    ['To see it, run: formulary doctor', 'To see it, run: formulary doctor'],
  ])('has each command on one line, on a line of its own if needed: %j', (text, wrapped) => {
    expect(wrapMessage(text, TERMINAL)).toBe(wrapped);
  });

  it('is not wrapped in a pipe, on a very narrow terminal, or with colors', () => {
    const text = 'word '.repeat(20).trim();
    expect(wrapMessage(text, { isTerminal: false, columns: 40 })).toBe(text);
    expect(wrapMessage(text, { isTerminal: true, columns: 20 })).toBe(text);
    expect(wrapMessage(`\x1b[31m${text}`, TERMINAL)).toBe(`\x1b[31m${text}`);
  });
});
