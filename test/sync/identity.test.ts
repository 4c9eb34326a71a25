/** Which formula a folder is: moves, renames, swaps, copies, and new folders in the place of others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPrunable, type Identity, identifyFolders } from '../../src/sync/identity.ts';
import { runs } from '../helpers/runs.ts';

/** Formulas and folders as `name/code`; entries as ids, which are the formulas' names in lower case. */
interface Repository {
  remotes: Record<string, string>;
  entries: Record<string, string>;
  folders: Record<string, string>;
}

const parse = (text: string) => ({ name: text.split('/')[0] ?? '', code: text.split('/')[1] ?? '' });

function toInput({ remotes, entries, folders }: Repository) {
  return {
    folders: Object.entries(folders).map(([path, text]) => ({ path, name: parse(text).name })),
    entries: Object.entries(entries).map(([path, id]) => ({ path, id, isGone: !(path in folders) })),
    remotes: Object.entries(remotes).map(([id, text]) => ({ id, name: parse(text).name })),
    hasCode: (path: string, id: string) => parse(folders[path] ?? '').code === parse(remotes[id] ?? '').code,
  };
}

/** `id`, `id < folder` for a move, `id?` for an adoption, `new`, or `conflict`. */
function format(identity: Identity): string {
  if (identity.kind !== 'formula') return identity.kind === 'new' ? 'new' : `conflict`;
  const { id, movedFrom, isAdopted } = identity;
  return `${id}${movedFrom === undefined ? '' : ` < ${movedFrom}`}${isAdopted ? '?' : ''}`;
}

const identify = (repository: Repository) =>
  Object.fromEntries([...identifyFolders(toInput(repository))].map(([path, one]) => [path, format(one)]));

const parsePairs = (text: string): Record<string, string> =>
  Object.fromEntries(text ? text.split(', ').map((pair) => pair.split('=')) : []);

describe('a folder', () => {
  it.each<[string, string, string, remotes?: string, entries?: string]>([
    ['is the formula of its entry', 'f/a=A/1, f/b=B/9', 'f/a=a, f/b=b'],
    ['that was renamed keeps its formula', 'f/a=Z/1, f/b=Y/9', 'f/a=a, f/b=b'],
    ['that was moved is followed by its name', 'g/a=A/9, f/b=B/2', 'g/a=a < f/a, f/b=b'],
    ['that was moved and renamed is a conflict', 'g/a=Z/1, f/b=B/2', 'g/a=conflict, f/b=b'],
    ['that is new is new', 'g/a=Z/9, f/b=B/2', 'g/a=new, f/b=b'],
    ['that was moved leaves its place to a new one', 'f/a2=A/1, f/a=Z/9, f/b=B/2', 'f/a2=a < f/a, f/a=new, f/b=b'],
    ['that was swapped with another is followed', 'f/a=B/2, f/b=A/1', 'f/a=b < f/b, f/b=a < f/a'],
    ['that was renamed to the old name of another keeps its formula', 'f/a=B/1, f/b=A/2', 'f/a=a, f/b=b'],
    ['that moved in a chain is followed', 'f/old=A/1, f/a=B/2', 'f/old=a < f/a, f/a=b < f/b'],
    [
      'that was swapped with another of the same code, and edited, is a conflict, and so is the other',
      'f/a=B/9, f/b=A/1',
      'f/a=conflict, f/b=conflict',
      'a=A/1, b=B/1',
    ],
    ['that was moved onto another is a conflict', 'f/a=B/2', 'f/a=conflict'],
    ['that was moved onto another and renamed is a conflict', 'f/a=Z/2', 'f/a=conflict'],
    ['whose name and code moved is a conflict', 'f/c=A/9, f/a=Z/9, f/b=B/2', 'f/c=conflict, f/a=conflict, f/b=b'],
    ['that has the code of its copy is a conflict', 'f/c=A/1, f/a=Z/1, f/b=B/2', 'f/c=conflict, f/a=conflict, f/b=b'],
    ['that was renamed leaves its name to a new one', 'f/c=A/9, f/a=Z/1, f/b=B/2', 'f/c=new, f/a=a, f/b=b'],
    ['without an entry is the one formula of its name', 'c=C/9', 'c=c?', 'c=C/3', ''],
    ['without an entry is a conflict if several have its name', 'c=C/9', 'c=conflict', 'c=C/3, d=C/4', ''],
    ['that was moved is followed also if several have its name', 'c=C/9', 'c=c < old', 'c=C/3, d=C/4', 'old=c'],
    ['whose formula no longer exists is new', 'c=C/9', 'c=new', '', 'c=c'],
    ['with two entries of gone folders is a conflict', 'c=C/9', 'c=conflict', 'c=C/3, d=C/4', 'old=c, older=d'],
  ])('%s', (_, folders, expected, remotes = 'a=A/1, b=B/2', entries = 'f/a=a, f/b=b') => {
    const repository = { remotes: parsePairs(remotes), entries: parsePairs(entries), folders: parsePairs(folders) };
    expect(identify(repository)).toEqual(parsePairs(expected));
  });
});

const CODES = ['1', '2', '3', '9'];
const NAMES = ['A', 'B', 'C', 'Z'];
const PATHS = ['p', 'q', 'r', 's'];

/** Folders of distinct names, as two folders of one name are an error before. */
const arrangement: fc.Arbitrary<Repository> = fc
  .record({
    remotes: fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...CODES)), { maxLength: 3 }),
    entries: fc.uniqueArray(fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom('i0', 'i1', 'i2')), {
      selector: ([path]) => path,
    }),
    folders: fc.uniqueArray(
      fc.record({ path: fc.constantFrom(...PATHS), name: fc.constantFrom(...NAMES), code: fc.constantFrom(...CODES) }),
      { selector: ({ name }) => name },
    ),
  })
  .map(({ remotes, entries, folders }) => {
    const owned = new Map(entries.map(([path, id]) => [id, path]));
    return {
      remotes: Object.fromEntries(remotes.map(([name, code], i) => [`i${i}`, `${name}/${code}`])),
      entries: Object.fromEntries(entries.filter(([path, id]) => owned.get(id) === path)),
      folders: Object.fromEntries(folders.map(({ path, name, code }) => [path, `${name}/${code}`])),
    };
  });

describe('in any arrangement of folders, names, contents, and entries', () => {
  it('an id is that of one folder at most', () => {
    fc.assert(
      fc.property(arrangement, (repository) => {
        const ids = [...identifyFolders(toInput(repository)).values()].flatMap((one) =>
          one.kind === 'formula' ? [one.id] : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('no id gets the content of another formula', () => {
    fc.assert(
      fc.property(arrangement, (repository) => {
        for (const [path, identity] of identifyFolders(toInput(repository))) {
          if (identity.kind !== 'formula') continue;
          const content = repository.folders[path] ?? '';
          const own = repository.remotes[identity.id] ?? '';
          const isOwn = parse(own).name === parse(content).name || parse(own).code === parse(content).code;
          const others = Object.entries(repository.remotes).filter(
            ([id, other]) => id !== identity.id && other === content && Object.values(repository.entries).includes(id),
          );
          if (!isOwn) expect(others).toEqual([]);
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  it('nothing is pruned that a folder is, may be, or is named like', () => {
    fc.assert(
      fc.property(arrangement, (repository) => {
        const input = toInput(repository);
        const identities = identifyFolders(input);
        const { deleted } = findPrunable({ ...input, identities, manifests: input.folders, isInScope: () => true });
        const texts = JSON.stringify([...identities.values()]);
        for (const { id, path } of deleted) {
          expect(path in repository.folders).toBe(false);
          expect(texts).not.toContain(`"${id}"`);
          expect(input.folders.map(({ name }) => name)).not.toContain(parse(repository.remotes[id] ?? '').name);
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  it('plain renames, moves, and edits are plain', () => {
    const operation = fc.constantFrom('rename' as const, 'move' as const, 'edit' as const, 'none' as const);
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 6 }), (operations) => {
        const folders = operations.map((kind, i): [path: string, content: string, expected: string] => {
          if (kind === 'move') return [`q${i}`, `N${i}/${i}`, `i${i} < p${i}`];
          return [`p${i}`, { rename: `M${i}/${i}`, edit: `N${i}/${i}x`, none: `N${i}/${i}` }[kind], `i${i}`];
        });
        const repository = {
          remotes: Object.fromEntries(operations.map((_, i) => [`i${i}`, `N${i}/${i}`])),
          entries: Object.fromEntries(operations.map((_, i) => [`p${i}`, `i${i}`])),
          folders: Object.fromEntries(folders),
        };
        expect(identify(repository)).toEqual(Object.fromEntries(folders.map(([path, , one]) => [path, one])));
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('--prune', () => {
  it.each<[string, string, string, string[], string[]]>([
    ['deletes the formula of a folder that no longer exists', 'f/b=B/2', '', ['a'], []],
    ['keeps the formula of a folder that was moved', 'f/b=B/2, g/a=A/9', '', [], ['a']],
    ['keeps the formula of a folder that may have been moved', 'f/b=B/2, g/a=Z/1', '', [], ['a']],
    ['keeps the formula of two entries, one of which is of a folder', 'f/a=A/1, f/b=B/2', ', f/old=a', [], ['a']],
    ['deletes the formula of two entries once', 'f/b=B/2', ', f/old=a', ['a'], []],
  ])('%s', (_, folders, more, expected, kept) => {
    const remotes = parsePairs('a=A/1, b=B/2');
    const entries = parsePairs(`f/a=a, f/b=b${more}`);
    const input = toInput({ remotes, entries, folders: parsePairs(folders) });
    const identities = identifyFolders(input);
    const found = findPrunable({ ...input, identities, manifests: input.folders, isInScope: () => true });
    expect(found.deleted.map(({ id }) => id)).toEqual(expected);
    expect(found.kept.map(({ entry }) => entry.id)).toEqual(kept);
  });
});
