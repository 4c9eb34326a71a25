import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createCommandFormatter, shellQuote, shellQuotePath, toPathArgument } from '../../src/text/shell-quote.ts';

const WORDS = ['plain', 'a b', "it's", '$HOME', '`x`', 'a"b', 'Füße', '*', '~', 'a;b', 'https://x.test/a?b=1&c', '\\'];

describe('a word in a hint', () => {
  it.each(['my-formula', 'a/b.c', '33333333-3333-4333-8333-333333333333', 'http://127.0.0.1:8080/v1', '--prune'])(
    'is not quoted if possible: %s',
    (word) => {
      expect(shellQuote(word, 'linux')).toBe(word);
      expect(shellQuote(word, 'win32')).toBe(word);
    },
  );

  it.runIf(process.platform !== 'win32')('is one unchanged argument for a shell', () => {
    const script = `printf '%s\\n' ${WORDS.map((word) => shellQuote(word, 'linux')).join(' ')}`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(WORDS.map((word) => `${word}\n`).join(''));
  });

  it.each([
    // A backslash alone needs no quotes.
    ['C:\\Users\\ada\\card', 'C:\\Users\\ada\\card'],
    ['.\\card\\', '.\\card\\'],
    ['two words', '"two words"'],
    ['C:\\my formulas\\card', '"C:\\my formulas\\card"'],
    ['C:\\my formulas\\', '"C:\\my formulas\\\\"'],
    ["it's", '"it\'s"'],
    ['Füße', '"Füße"'],
    ['a&b', '"a&b"'],
    ['a,b', '"a,b"'],
    ['a=b', '"a=b"'],
    ['100%', '"100%"'],
    ['@args.json', '"@args.json"'],
    ['ada@x.test', 'ada@x.test'],
    ['-x.y', '"-x.y"'],
    ['~', '"~"'],
    ['', '""'],
    ['5 $', '"5 $"'],
    // Nothing works in cmd.exe and PowerShell: the single quotes of PowerShell.
    ['$HOME', "'$HOME'"],
    ['$(x)', "'$(x)'"],
    ['`x`', "'`x`'"],
    ['a "b"', '\'a "b"\''],
    ["$it's", "'$it''s'"],
    ['a “b” ’s', "'a “b” ’’s'"],
  ])('is quoted on Windows for cmd.exe and PowerShell: %s', (word, quoted) => {
    expect(shellQuote(word, 'win32')).toBe(quoted);
  });

  it('that is a path is not a flag', () => {
    expect(shellQuotePath('-x y', 'linux')).toBe("'./-x y'");
    expect(shellQuotePath('-x y', 'win32')).toBe('"./-x y"');
    expect(shellQuotePath('x', 'linux')).toBe('x');
  });

  it('is quoted in a command, whose own words are not', () => {
    const args = [toPathArgument('-x'), 'two words'];
    expect(createCommandFormatter('linux')('formula link', ...args)).toBe("formulary formula link ./-x 'two words'");
    expect(createCommandFormatter('win32')('formula link', ...args)).toBe('formulary formula link ./-x "two words"');
  });
});
