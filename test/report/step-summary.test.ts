/** The summary of a GitHub Actions step. */
import { describe, expect, it } from 'vitest';
import { formatSummary } from '../../src/report/step-summary.ts';

const ROW = { status: 'update', name: 'Card', folder: 'formulas/card', detail: 'code' };

describe('summaryMarkdown', () => {
  it('is a title, a line, and a table', () => {
    expect(formatSummary('formulary formula diff', '1 to update', [ROW])).toBe(
      '### formulary formula diff\n\n1 to update\n\n|  | formula | folder |  |\n| --- | --- | --- | --- |\n| update | Card | formulas/card | code |\n\n',
    );
  });

  it('has no table without rows', () => {
    expect(formatSummary('t', 'nothing to do', [])).toBe('### t\n\nnothing to do\n\n');
  });

  it('escapes Markdown, HTML, mentions, and line breaks in names', () => {
    const name = '| [x](https://evil.example.com) <img> `a` *b* @everyone\n\u202e';
    const [, , , , , , row = ''] = formatSummary('t', 'l', [{ ...ROW, name }]).split('\n');
    expect(row.replace(/&#\d+;/g, '')).not.toMatch(/[[\]<>`*@\u202e]/);
    expect(row.split('|')).toHaveLength(6);
  });

  it('is truncated at the limit of GitHub', () => {
    expect(
      formatSummary(
        't',
        'l',
        Array.from({ length: 1003 }, () => ROW),
      ),
    ).toMatch(/\n\nand 3 more\n\n$/);
  });

  it('stays under the limit of GitHub, whatever is in the rows', () => {
    const rows = Array.from({ length: 900 }, () => ({ ...ROW, name: '|'.repeat(100_000) }));
    const markdown = formatSummary('t', 'l', rows);
    expect(Buffer.byteLength(markdown)).toBeLessThan(2 ** 19);
    expect(markdown).toMatch(/\n\nand \d+ more\n\n$/);
  });
});
