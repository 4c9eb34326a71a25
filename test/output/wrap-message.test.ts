import { describe, expect, it } from 'vitest';
import { wrapMessage } from '../../src/output/wrap-message.ts';

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
