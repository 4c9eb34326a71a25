import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignFolderNames, findFolderNameProblem, foldName, toSlug } from '../../src/files/safe-names.ts';
import { runs } from '../helpers/runs.ts';

describe('the folder name of a formula', () => {
  it.each([
    ['Tokenize a card', 'tokenize-a-card'],
    ['  Sign & send (v1.2) ', 'sign-send-v1-2'],
    ['Füße', 'füße'],
    ['cafe\u0301', 'caf\u00e9'],
    ['漢字 and ＡＢＣ', '漢字-and-abc'],
    ['../../escape', 'escape'],
    ['C:\\windows', 'c-windows'],
    ['.git', 'git'],
    ['node_modules', 'node-modules'],
    ['-rf', 'rf'],
    ['g\u200bit\u3164', 'git'],
    ['CON', 'con-formula'],
    ['com¹', 'com1-formula'],
    ['CONIN$', 'conin'],
    ['aux.js', 'aux-js'],
    ['', 'formula'],
    ['..', 'formula'],
    ['😀'.repeat(200), 'formula'],
    ['\ud800', 'formula'],
    ['x'.repeat(200), 'x'.repeat(100)],
    ['é'.repeat(200), 'é'.repeat(50)],
    [`${'x'.repeat(99)} y`, 'x'.repeat(99)],
  ])('%j is %j', (name, folder) => {
    expect(toSlug(name)).toBe(folder);
  });

  it('contains a part of the id if another name is similar, also on a case-insensitive file system', () => {
    const names = ['Same Name', 'same-name', 'Straße', 'STRASSE', 'ſign', 'sign', 'Other'];
    const found = [...assignFolderNames(names.map((name, i) => ({ id: `id-${i}`, name }))).values()];
    expect(found.filter((name) => /-[0-9a-f]{8}$/.test(name))).toHaveLength(6);
    expect(found[6]).toBe('other');
  });

  it('is not one that is in use', () => {
    expect(assignFolderNames([{ id: '1', name: 'Card' }], ['CARD']).get('1')).toMatch(/^card-[0-9a-f]{8}$/);
  });

  it('of another formula cannot be obtained by a name with its suffix', () => {
    const twins = [
      { id: 'a', name: 'Card' },
      { id: 'b', name: 'card' },
    ];
    const copy = { id: 'c', name: assignFolderNames(twins).get('a') ?? '' };
    const names = [...assignFolderNames([...twins, copy]).values()];
    expect(new Set(names).size).toBe(3);
  });

  it('is safe and distinct whatever the names are, and does not depend on their order', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('Card', 'card', 'CARD ', 'c\u0301ard', 'ćard', 'con', 'NUL.', 'a/b', 'a\\b', '..', '', 'Card-'),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        const formulas = names.map((text, i) => ({ id: `id-${i}`, name: text }));
        const found = assignFolderNames(formulas);
        const folders = [...found.values()];
        expect(new Set(folders.map(foldName)).size).toBe(names.length);
        for (const folder of folders) {
          expect(folder).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*$/u);
          expect(folder).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
          expect(folder).not.toMatch(/-$/);
          expect(Buffer.byteLength(folder.normalize('NFD'))).toBeLessThanOrEqual(255);
        }
        expect(assignFolderNames([...formulas].reverse())).toEqual(found);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a folder name that is not one on every system', () => {
  it.each(['aux', 'CON', 'Prn', 'nul', 'nul.txt', 'NUL .tar.gz', 'COM1', 'com¹', 'LPT9.d', 'CONIN$', 'conout$'])(
    'is that of a device: %s',
    (name) => {
      expect(findFolderNameProblem(name)).toBe('it is a device name on Windows');
    },
  );

  it.each([
    ['a:b', '":" is not allowed in names on Windows'],
    ['a\\b', '"\\\\" is not allowed in names on Windows'],
    ['what?', '"?" is not allowed in names on Windows'],
    ['a\tb', '"\\t" is not allowed in names on Windows'],
    ['name.', 'Windows removes dots and spaces at the end of a name'],
    ['name ', 'Windows removes dots and spaces at the end of a name'],
  ])('is %j', (name, problem) => {
    expect(findFolderNameProblem(name)).toBe(problem);
  });

  it.each(['auxiliary', 'console', 'com10', 'com', 'my.aux', 'two words', '.hidden', "it's", 'Füße', '-x'])(
    'is not %s',
    (name) => {
      expect(findFolderNameProblem(name)).toBeUndefined();
    },
  );
});
