import { describe, expect, it } from 'vitest';
import { createStyle } from '../../src/output/style.ts';
import { formatDiff } from '../../src/output/text-diff.ts';

const diff = (from: string, to: string, hasColor = false) =>
  formatDiff({ from: 'service', to: 'folder' }, from, to, createStyle({ hasColor: hasColor }));

describe('textDiff', () => {
  it('is empty for equal files', () => {
    expect(diff('a\n', 'a\n')).toEqual([]);
  });

  it('wraps no line of code', () => {
    const code = `const text = '${'word '.repeat(100)}';`;
    expect(diff('', `${code}\n`)).toContain(`+${code}`);
  });

  it('shows removed and added lines, with context', () => {
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

  it('marks a missing final line break', () => {
    expect(diff('a\n', 'a')).toEqual([
      '--- service',
      '+++ folder',
      '@@ -1,1 +1,1 @@',
      '-a',
      '+a',
      '\\ No newline at end of file',
    ]);
  });

  it('escapes line breaks and other characters that control a terminal', () => {
    expect(diff('a\r\n', '\u001b[31ma\n')).toEqual([
      '--- service',
      '+++ folder',
      '@@ -1,1 +1,1 @@',
      '-a\\u000d',
      '+\\u001b[31ma',
    ]);
  });

  it('shows invisible characters as requested', () => {
    const all = (line: string) => line.replaceAll('\u200d', '!');
    expect(diff('👨\u200d👩\n', 'a\u200bb\n').slice(3)).toEqual(['-👨\u200d👩', '+a\\u{200b}b']);
    const shown = formatDiff({ from: 'a', to: 'b' }, '👨\u200d👩\n', 'a\n', createStyle({ hasColor: false }), all);
    expect(shown.slice(3)).toEqual(['-👨!👩', '+a']);
  });

  it('does not compare files that would use too much memory', () => {
    expect(diff('a\n'.repeat(200_000), 'b\n')).toEqual([
      '--- service',
      '+++ folder',
      '@@ 400000 characters, then 2 characters: too large to compare @@',
    ]);
    expect(diff('a'.repeat(4_000_000), 'b')).toHaveLength(3);
  });

  it('shows files with few common lines completely, in linear time', () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
    expect(diff(lines('a'), lines('b'))).toHaveLength(3 + 40_000);
  });

  it('has colors if the output has colors', () => {
    expect(diff('a\n', 'b\n', true).join('\n')).toContain('\u001b[31m-a');
  });
});
