/** What differs between two texts. */
import { describe, expect, it } from 'vitest';
import { createStyle } from '../../src/output/style.ts';
import { formatDiff } from '../../src/output/text-diff.ts';

const diff = (from: string, to: string, hasColor = false) =>
  formatDiff({ from: 'service', to: 'folder' }, from, to, createStyle({ hasColor: hasColor }));

describe('textDiff', () => {
  it('has nothing to say of equal texts', () => {
    expect(diff('a\n', 'a\n')).toEqual([]);
  });

  it('shows what goes and what comes, with lines around', () => {
    expect(diff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n')).toEqual([
      '--- service',
      '+++ folder',
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ]);
  });

  it('tells a text without a final line break', () => {
    expect(diff('a\n', 'a')).toEqual([
      '--- service',
      '+++ folder',
      '@@ -1,1 +1,1 @@',
      '-a',
      '+a',
      '\\ No newline at end of file',
    ]);
  });

  it('shows line breaks and other characters that a terminal would act on', () => {
    expect(diff('a\r\n', '\u001b[31ma\n')).toEqual([
      '--- service',
      '+++ folder',
      '@@ -1,1 +1,1 @@',
      '-a\\u000d',
      '+\\u001b[31ma',
    ]);
  });

  it('shows what is hidden, as it is told to', () => {
    const all = (line: string) => line.replaceAll('\u200d', '!');
    expect(diff('👨\u200d👩\n', 'a\u200bb\n').slice(3)).toEqual(['-👨\u200d👩', '+a\\u{200b}b']);
    const shown = formatDiff({ from: 'a', to: 'b' }, '👨\u200d👩\n', 'a\n', createStyle({ hasColor: false }), all);
    expect(shown.slice(3)).toEqual(['-👨!👩', '+a']);
  });

  it('does not compare what would take too much memory', () => {
    expect(diff('a\n'.repeat(200_000), 'b\n')).toEqual([
      '--- service',
      '+++ folder',
      '@@ 400000 characters, then 2 characters: too large to compare @@',
    ]);
    expect(diff('a'.repeat(4_000_000), 'b')).toHaveLength(3);
  });

  it('gives texts that have hardly a line in common in whole, and in time', () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
    expect(diff(lines('a'), lines('b'))).toHaveLength(3 + 40_000);
  });

  it('is coloured where the paper is', () => {
    expect(diff('a\n', 'b\n', true).join('\n')).toContain('\u001b[31m-a');
  });
});
