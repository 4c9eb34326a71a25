import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/service/store/store.ts';
import { officialFormula, temporaryFolder, temporaryStore } from '../fixture.ts';

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('the data file', () => {
  it('is created with its folder, for this user only', async () => {
    const folder = join(temporaryFolder(), 'a', 'b');
    await temporaryStore(join(folder, 'x.db'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'x.db')).mode & 0o777).toBe(0o600);
  });

  it('may have a name that looks like a URL or a query', async () => {
    const file = join(temporaryFolder(), 'http:', 'a b?mode=ro#é.db');
    (await temporaryStore(file)).formulas.insert(officialFormula());
    expect(statSync(file).isFile()).toBe(true);
  });

  it('contains all writes after it is opened again', async () => {
    const file = join(temporaryFolder(), 'x.db');
    const first = await openStore(file);
    first.formulas.insert(officialFormula({ name: 'kept' }));
    first.close();
    expect((await temporaryStore(file)).formulas.get(officialFormula().id)?.name).toBe('kept');
  });

  it.each([
    ['text', (file: string) => writeFileSync(file, 'not a database, '.repeat(100)), 'is not a database'],
    ['a few bytes', (file: string) => writeFileSync(file, 'hi'), 'is not a database'],
    ['a folder', (file: string) => mkdirSync(file), 'cannot be opened'],
    ['a database of another program', (file: string) => sqlInto(file, 'CREATE TABLE theirs (x)'), 'another program'],
    ['a newer version', (file: string) => sqlInto(file, 'PRAGMA user_version = 99'), 'newer version of formulary'],
    ['our version, other tables', (file: string) => sqlInto(file, 'PRAGMA user_version = 1'), 'another program'],
  ])('is rejected with its name if it is %s, and not changed', async (_title, prepare, message) => {
    const file = join(temporaryFolder(), 'x.db');
    await prepare(file);
    const before = statSync(file).isFile() ? readFileSync(file) : undefined;
    await expect(openStore(file)).rejects.toMatchObject({
      outcome: 'usage',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/another data file/i),
    });
    await expect(openStore(file)).rejects.toThrow(file);
    if (before) expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('cannot be inside a file', async () => {
    const file = join(temporaryFolder(), 'plain');
    writeFileSync(file, '');
    await expect(openStore(join(file, 'x.db'))).rejects.toMatchObject({ outcome: 'usage' });
  });
});

describe('stored formulas', () => {
  it('are returned unchanged, with NUL, unpaired surrogates, and any script', async () => {
    const { formulas } = await temporaryStore();
    const formula = officialFormula({ name: 'a\0b\ud800 Größe 漢字 🧪', code: "'\0' + '\u2028'", description: '' });
    formulas.insert(formula);
    expect(formulas.get(formula.id)).toEqual(formula);
    expect(formulas.list((name) => name === formula.name, 1, 10)).toEqual({ total: 1, formulas: [formula] });
  });

  it('are listed in the order of their creation, page by page, also after a change', async () => {
    const { formulas } = await temporaryStore();
    const order = [5, 3, 9, 1, 7];
    for (const n of order) formulas.insert(officialFormula({ id: idOf(n), name: `n${n}` }));
    formulas.replace(officialFormula({ id: idOf(5), name: 'changed' }));
    const pages = [1, 2, 3, 4].map((page) => formulas.list(undefined, page, 2));
    expect(pages.flatMap((page) => page.formulas.map(({ id }) => id))).toEqual(order.map(idOf));
    expect(pages.map((page) => [page.total, page.formulas.length])).toEqual([
      [5, 2],
      [5, 2],
      [5, 1],
      [5, 0],
    ]);
  });

  it('report a missing formula on replace and remove', async () => {
    const { formulas } = await temporaryStore();
    formulas.insert(officialFormula());
    expect(formulas.remove(officialFormula().id)).toBe(true);
    expect(formulas.remove(officialFormula().id)).toBe(false);
    expect(formulas.replace(officialFormula())).toBe(false);
  });

  it('are shared by two stores on one file', async () => {
    const file = join(temporaryFolder(), 'x.db');
    const [one, two] = await Promise.all([temporaryStore(file), temporaryStore(file)]);
    one.formulas.insert(officialFormula({ name: 'from one' }));
    expect(two.formulas.get(officialFormula().id)?.name).toBe('from one');
    two.formulas.replace(officialFormula({ name: 'from two' }));
    expect(one.formulas.list(undefined, 1, 10).formulas.map(({ name }) => name)).toEqual(['from two']);
    one.formulas.remove(officialFormula().id);
    expect(two.formulas.list(undefined, 1, 10).total).toBe(0);
  });
});

async function sqlInto(file: string, sql: string): Promise<void> {
  const { default: Database } = await import('libsql');
  const database = new Database(file);
  database.exec(sql);
  database.close();
}
