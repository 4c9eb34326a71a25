import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellPath, shellWord } from '../src/shell-word.ts';

const WORDS = ['plain', 'a b', "it's", '$HOME', '`x`', 'a"b', 'Füße', '*', '~', 'a;b', 'https://x.test/a?b=1&c', '\\'];

describe('a word in a hint', () => {
  it.each(['my-formula', 'a/b.c', '33333333-3333-4333-8333-333333333333'])('stays as it is when it can: %s', (word) => {
    expect(shellWord(word)).toBe(word);
  });

  it.runIf(process.platform !== 'win32')('is one word of the same text to a shell', () => {
    const script = `printf '%s\\n' ${WORDS.map(shellWord).join(' ')}`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(WORDS.map((word) => `${word}\n`).join(''));
  });

  it('that is a path is no flag', () => {
    expect(shellPath('-x y')).toBe("'./-x y'");
    expect(shellPath('x')).toBe('x');
  });
});
