import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { joinText } from '../../src/output/formats.ts';
import { formatTable } from '../../src/output/table.ts';
import { formatTsv } from '../../src/output/tsv.ts';

interface Row {
  id: string;
  name: string;
}

const COLUMNS = [
  { title: 'ID', cell: ({ id }: Row) => id },
  { title: 'NAME', cell: ({ name }: Row) => name },
];

const ROWS: Row[] = [
  { id: '33333333-3333-4333-8333-333333333333', name: 'Tokenize a card' },
  { id: '2', name: '漢字の名前がとても長いとき、どこかで切られる' },
  { id: '3', name: 'two\nlines \x1b[31m' },
];

describe('a table in a pipe', () => {
  it('is one untruncated line per row, tab-separated, without a heading', () => {
    expect(joinText(formatTsv([{ id: '1', name: 'a\tb' }], COLUMNS))).toBe('1\ta\\u0009b\n');
  });
});

describe('a table on a terminal', () => {
  it.each([40, 60, 80, 160, 200])('of %d columns is never wider than it', (width) => {
    const lines = formatTable(ROWS, COLUMNS, width).split('\n');
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(lines).toHaveLength(ROWS.length + 2);
  });

  it('aligns its columns under the headings', () => {
    const text = formatTable(
      [
        { id: '1', name: 'one' },
        { id: '22', name: 'two' },
      ],
      COLUMNS,
      80,
    );
    expect(text).toBe('ID  NAME\n1   one\n22  two\n');
  });

  it('shortens ids to 8 characters first, then paths in their middle, and names last', () => {
    const columns = [
      { title: 'ID', cell: ({ id }: Row) => id, kind: 'id' as const },
      { title: 'FOLDER', cell: () => 'formulas/team-payments/zahlung-pruefen', kind: 'path' as const },
      { title: 'NAME', cell: ({ name }: Row) => name, kind: 'name' as const },
    ];
    const row = { id: ROWS[0]?.id ?? '', name: 'Zahlung prüfen und freigeben' };
    const show = (width: number) => formatTable([row], columns, width).split('\n')[1];
    expect(show(120)).toBe(`${row.id}  formulas/team-payments/zahlung-pruefen  ${row.name}`);
    expect(show(80)).toBe(`33333333  formulas/team-payments/zahlung-pruefen  ${row.name}`);
    expect(show(60)).toBe(`33333333  formulas/…ng-pruefen  ${row.name}`);
    expect(show(50)).toBe('33333333  formula…-pruefen  Zahlung prüfen und fr…');
  });

  it('prints a line for each cell, with complete ids, if nothing fits', () => {
    const columns = [{ title: 'ID', cell: ({ id }: Row) => id, kind: 'id' as const }, ...COLUMNS.slice(1)];
    const id = '0'.repeat(36);
    expect(formatTable([{ id, name: 'abcdefghijkl' }], columns, 16)).toBe(
      `ID\n  ${'0'.repeat(14)}\n  ${'0'.repeat(14)}\n  ${'0'.repeat(8)}\nNAME\n  abcdefghijkl\n`,
    );
  });

  it('leaves a gap after a truncated cell', () => {
    const long = [{ id: 'x'.repeat(50), name: 'y'.repeat(50) }];
    expect(formatTable(long, COLUMNS, 30)).toMatch(/^x+… {2}y+…$/m);
  });

  it('truncates a heading or a cell between characters only', () => {
    const names = [{ id: '1', name: '👩‍👩‍👧'.repeat(9) }];
    const columns = [{ title: '😀'.repeat(9), cell: ({ name }: Row) => name }];
    for (let width = 4; width < 40; width++) {
      const cut = formatTable(names, columns, width);
      expect(cut).toMatch(/^(😀)+…?\n(👩‍👩‍👧)+…?\n$/u);
    }
  });

  it('shows only its heading without rows', () => {
    expect(formatTable([], COLUMNS, 80)).toBe('ID  NAME\n');
  });

  it('escapes control characters in a cell', () => {
    expect(formatTable(ROWS, COLUMNS, 80)).not.toContain('\x1b');
  });
});
