/** What push would do: folders, formulas and the lock become steps. */
import { describe, expect, it } from 'vitest';
import type { ValidFolder } from '../../../src/check/check-tree.ts';
import { hashContent } from '../../../src/formula-fields.ts';
import type { Formula, FormulaBody } from '../../../src/model.ts';
import { compareToBaseline } from '../../../src/state/remote-baseline.ts';
import { identifyFolders } from '../../../src/sync/identity.ts';
import { matchFolders } from '../../../src/sync/push/match-folders.ts';
import type { Step } from '../../../src/sync/push/plan.ts';
import { findDeletions, planSteps } from '../../../src/sync/push/plan-steps.ts';
import { assertSameTenant } from '../../../src/sync/push/tenant-guard.ts';

const BODY: FormulaBody = { name: 'Card', type: 'private', code: 'x', configuration: [], request_parameters: [] };

const local = (path: string, change: Partial<FormulaBody> = {}): ValidFolder => {
  const body = { ...BODY, ...change };
  return { folder: { displayPath: path.slice(1), path }, name: body.name, body, findings: [], durationMs: 0 };
};
const remote = (id: string, change: Partial<Formula> = {}): Formula => ({ ...BODY, id, ...change });

interface Case {
  locals?: ValidFolder[];
  remotes?: Formula[];
  ids?: Record<string, string>;
  gone?: string[];
  /** The baselines of all folders. */
  seen?: Formula[];
  force?: boolean;
  /** The folders below which is pruned. */
  prune?: string;
  /** Why the list is incomplete. */
  incompleteReason?: string;
}

function planned({ locals = [], remotes = [], ids = {}, gone = [], seen = [], force = false, ...rest }: Case) {
  const { prune, incompleteReason } = rest;
  const paths = [...new Set([...locals.map(({ folder }) => folder.path), ...Object.keys(ids)])];
  const baselines = new Map(
    seen.flatMap((formula) =>
      paths.map((path) => [`${path}\0${formula.id.toLowerCase()}`, { hash: hashContent(formula), modified_at: null }]),
    ),
  );
  const options = {
    formatFolder: (path: string) => path,
    command: (line: string, ...args: string[]) => `formulary ${[line, ...args].join(' ')} --local`,
    force,
  };
  const missingFolders = new Set(gone);
  const folders = locals.map(({ folder: { path }, name }) => ({ path, name: name ?? undefined }));
  const identities = identifyFolders({
    folders,
    entries: Object.entries(ids).map(([path, id]) => ({ path, id, isGone: missingFolders.has(path) })),
    remotes: remotes.filter(({ type }) => type !== 'official'),
    hasCode: (path, id) =>
      locals.find(({ folder }) => folder.path === path)?.body.code === remotes.find((one) => one.id === id)?.code,
  });
  const facts = {
    identities,
    manifests: folders,
    folders: locals,
    remotes: { items: remotes, incompleteReason },
    ids: new Map(Object.entries(ids)),
    lockFiles: ['/formulas.lock.json'],
    missingFolders,
    shouldPrune: (path: string) => prune !== undefined && path.startsWith(prune),
  };
  const decisions = findDeletions(matchFolders(facts, options), facts, options);
  const compare = (path: string, formula: Formula) => compareToBaseline(baselines, path, formula);
  return { steps: planSteps(decisions, facts, compare, options), staleFolders: decisions.staleFolders };
}

/** A step in short: action, id, and its other properties. */
function brief({ action, folder, name: _, remote: formula, body: __, reason, hint, fields, ...remarks }: Step) {
  const what = { ...remarks, ...(fields.length > 0 && { fields }) };
  return [
    action,
    folder.path,
    formula?.id,
    ...(Object.keys(what).length > 0 ? [what] : []),
    ...(reason ? [[reason, hint].filter(Boolean).join('\n')] : []),
  ].filter((part) => part !== undefined);
}

describe('the steps of a push', () => {
  it.each<[string, Case, unknown[]]>([
    ['creates a formula that does not exist', { locals: [local('/a')] }, [['create', '/a']]],
    [
      'takes the one formula of the exact name, and changes nothing when it is the same',
      { locals: [local('/a')], remotes: [remote('1'), remote('2', { name: 'card' })] },
      [['keep', '/a', '1', { adopted: true }]],
    ],
    [
      'adopts and updates it, and marks that it overwrites an unknown version',
      { locals: [local('/a', { code: 'y' })], remotes: [remote('1')] },
      [['update', '/a', '1', { adopted: true, overwrites: true, fields: ['code'] }]],
    ],
    [
      'leaves several of one name alone',
      { locals: [local('/a')], remotes: [remote('1'), remote('2')] },
      [['conflict', '/a', expect.stringMatching(/2 formulas have this name \(1, 2\)\n.*link a ID --local/)]],
    ],
    [
      'never takes an official formula',
      { locals: [local('/a')], remotes: [remote('1', { type: 'official' })] },
      [['create', '/a']],
    ],
    [
      'does not make a second official formula of one name',
      { locals: [local('/a', { type: 'official' })], remotes: [remote('1', { type: 'official' })] },
      [['conflict', '/a', expect.stringContaining('push does not match official formulas')]],
    ],
    [
      'follows the lock to a formula that has another name',
      { locals: [local('/a', { name: 'New' })], remotes: [remote('1')], ids: { '/a': '1' }, seen: [remote('1')] },
      [['update', '/a', '1', { renamedFrom: 'Card', fields: ['name'] }]],
    ],
    [
      'takes ids in any case',
      { locals: [local('/a')], remotes: [remote('AB')], ids: { '/a': 'ab' } },
      [['keep', '/a', 'AB']],
    ],
    [
      'stays with the lock, though another formula has the name',
      {
        locals: [local('/a')],
        remotes: [remote('1'), remote('2', { name: 'Other' })],
        ids: { '/a': '2' },
        force: true,
      },
      [
        [
          'conflict',
          '/a',
          '2',
          { renamedFrom: 'Other', overwrites: true, fields: ['name'] },
          expect.stringContaining('another formula (1)'),
        ],
      ],
    ],
    [
      'lets two folders swap their names',
      {
        locals: [local('/a', { name: 'B' }), local('/b', { name: 'A', code: 'b' })],
        remotes: [remote('1', { name: 'A' }), remote('2', { name: 'B', code: 'b' })],
        ids: { '/a': '1', '/b': '2' },
        seen: [remote('1', { name: 'A' }), remote('2', { name: 'B', code: 'b' })],
      },
      [
        ['update', '/a', '1', { renamedFrom: 'A', fields: ['name'] }],
        ['update', '/b', '2', { renamedFrom: 'B', fields: ['name'] }],
      ],
    ],
    [
      'does not rename to a name that a formula without a folder has, forced or not',
      {
        locals: [local('/a', { name: 'B' })],
        remotes: [remote('1', { name: 'A' }), remote('2', { name: 'B' })],
        ids: { '/a': '1' },
        force: true,
        seen: [remote('1', { name: 'A' })],
      },
      [
        [
          'conflict',
          '/a',
          '1',
          { renamedFrom: 'A', fields: ['name'] },
          expect.stringMatching(/new name is in use by another formula \(2\)\n.*link a 2 --local\n.*delete 2 --local$/),
        ],
      ],
    ],
    [
      'does not rename to the name of a formula that a folder outside of the plan has',
      {
        locals: [local('/a')],
        remotes: [remote('1', { name: 'A' }), remote('2')],
        ids: { '/a': '1', '/elsewhere': '2' },
        seen: [remote('1', { name: 'A' })],
      },
      [
        [
          'conflict',
          '/a',
          '1',
          { renamedFrom: 'A', fields: ['name'] },
          expect.stringMatching(/\(2\), which is linked to \/elsewhere\nChange the name/),
        ],
      ],
    ],
    [
      'takes the formula of the name when the id of the lock is gone',
      {
        locals: [local('/a'), local('/b', { name: 'B' })],
        remotes: [remote('2'), remote('3', { name: 'B' })],
        ids: { '/a': '1', '/b': '3' },
      },
      [
        ['keep', '/a', '2', { adopted: true, missingId: '1' }],
        ['keep', '/b', '3'],
      ],
    ],
    [
      'creates when neither id nor name is there',
      {
        locals: [local('/a'), local('/b', { name: 'B' })],
        remotes: [remote('3', { name: 'B' })],
        ids: { '/a': '1', '/b': '3' },
      },
      [
        ['create', '/a', { missingId: '1' }],
        ['keep', '/b', '3'],
      ],
    ],
    [
      'continues if the service has none of the ids, if forced',
      { locals: [local('/a')], ids: { '/a': '1' }, force: true },
      [['create', '/a', { missingId: '1' }]],
    ],
    [
      'takes the formula of a folder that was moved',
      { locals: [local('/new')], remotes: [remote('1')], ids: { '/old': '1' }, gone: ['/old'] },
      [['keep', '/new', '1', { movedFrom: { path: '/old', displayPath: '/old' } }]],
    ],
    [
      'does not take the formula of a folder that is still there',
      { locals: [local('/new')], remotes: [remote('1')], ids: { '/old': '1' } },
      [['conflict', '/new', expect.stringContaining('linked to /old')]],
    ],
    [
      'creates a name that another folder gives up',
      {
        locals: [local('/a', { name: 'B' }), local('/b', { name: 'A', code: 'b' })],
        remotes: [remote('1', { name: 'A' })],
        ids: { '/a': '1' },
        seen: [remote('1', { name: 'A' })],
      },
      [
        ['update', '/a', '1', { renamedFrom: 'A', fields: ['name'] }],
        ['create', '/b'],
      ],
    ],
    [
      'stops at what others changed',
      {
        locals: [local('/a', { code: 'z' })],
        remotes: [remote('1', { code: 'y', modified_at: 'noon', modified_by: 'Z' })],
        ids: { '/a': '1' },
        seen: [remote('1')],
      },
      [
        [
          'conflict',
          '/a',
          '1',
          { overwrites: true, fields: ['code'] },
          expect.stringMatching(
            /changed since the last push or pull.*at noon by Z.*\n.*diff a --local\n.*pull 1 --force --local\n.*push a --force --local$/,
          ),
        ],
      ],
    ],
    [
      'overwrites what others changed when forced',
      {
        locals: [local('/a', { code: 'z' })],
        remotes: [remote('1', { code: 'y' })],
        ids: { '/a': '1' },
        seen: [remote('1')],
        force: true,
      },
      [['update', '/a', '1', { overwrites: true, fields: ['code'] }]],
    ],
    [
      'finds nothing to do when others made the same change',
      {
        locals: [local('/a', { code: 'y' })],
        remotes: [remote('1', { code: 'y' })],
        ids: { '/a': '1' },
        seen: [remote('1')],
      },
      [['keep', '/a', '1']],
    ],
    [
      'keeps icon and description that the folder does not mention',
      {
        locals: [local('/a', { code: 'y' })],
        remotes: [remote('1', { icon: 'data:', description: 'd' })],
        seen: [remote('1', { icon: 'data:', description: 'd' })],
      },
      [['update', '/a', '1', { adopted: true, fields: ['code'], preserved: ['icon', 'description'] }]],
    ],
    [
      'clears a description that is null in the folder',
      {
        locals: [local('/a', { description: null })],
        remotes: [remote('1', { description: 'd' })],
        ids: { '/a': '1' },
        seen: [remote('1', { description: 'd' })],
      },
      [['update', '/a', '1', { fields: ['description'] }]],
    ],
    [
      'leaves formulas without a folder alone',
      {
        locals: [local('/a')],
        remotes: [remote('1'), remote('2', { name: 'B' })],
        ids: { '/a': '1', '/b': '2' },
        gone: ['/b'],
      },
      [['keep', '/a', '1']],
    ],
    [
      'deletes them when pruning, below the given paths only, and never what the lock does not list',
      {
        locals: [local('/x/a')],
        remotes: [remote('1'), remote('2', { name: 'B' }), remote('3', { name: 'C' }), remote('4', { name: 'D' })],
        ids: { '/x/a': '1', '/x/b': '2', '/y/c': '3' },
        gone: ['/x/b', '/y/c'],
        prune: '/x/',
      },
      [
        ['keep', '/x/a', '1'],
        ['delete', '/x/b', '2'],
      ],
    ],
    [
      'does not delete what others changed',
      { remotes: [remote('2', { code: 'y' })], ids: { '/b': '2' }, gone: ['/b'], seen: [remote('2')], prune: '/' },
      [['conflict', '/b', '2', { overwrites: true }, expect.stringMatching(/changed since[\s\S]*get 2/)]],
    ],
    [
      'does not delete what a moved folder takes',
      { locals: [local('/new')], remotes: [remote('1')], ids: { '/old': '1' }, gone: ['/old'], prune: '/' },
      [['keep', '/new', '1', { movedFrom: { path: '/old', displayPath: '/old' } }]],
    ],
    [
      'never deletes an official formula',
      {
        locals: [local('/a')],
        remotes: [remote('1'), remote('2', { type: 'official' })],
        ids: { '/a': '1', '/b': '2' },
        gone: ['/b'],
        prune: '/',
      },
      [['keep', '/a', '1']],
    ],
  ])('%s', (_, situation, steps) => {
    expect(planned(situation).steps.map(brief)).toEqual(steps);
  });

  it('rejects a service with none of the ids, which is probably another tenant', () => {
    expect(() => planned({ locals: [local('/a')], remotes: [remote('9')], ids: { '/a': '1', '/b': '2' } })).toThrow(
      'none of the 2 formulas in the lock file (/formulas.lock.json) exist',
    );
  });

  it.each<[string, string[], Formula[]]>([
    ['a lock without ids', [], [remote('9')]],
    ['an id in other letters', ['A1', 'gone'], [remote('a1')]],
    ['one id that is gone', ['gone'], [remote('9')]],
  ])('treats %s as this tenant', (_, ids, remotes) => {
    expect(() =>
      assertSameTenant(
        { ids, files: [] },
        { items: remotes, incompleteReason: undefined },
        'continues',
        (line) => line,
      ),
    ).not.toThrow();
  });

  it('does not count an official formula, which each tenant has, as one in the lock file', () => {
    const items = [{ ...remote('1'), type: 'official' }];
    expect(() =>
      assertSameTenant(
        { ids: ['1', '2'], files: [] },
        { items, incompleteReason: undefined },
        'continues',
        (line) => line,
      ),
    ).toThrow('right tenant');
  });

  it.each<[string, Case, string[]]>([
    [
      'of a moved folder',
      { locals: [local('/new')], remotes: [remote('1')], ids: { '/old': '1' }, gone: ['/old'] },
      ['/old'],
    ],
    [
      'of a folder and formula that are both gone, when pruning',
      { locals: [local('/a')], remotes: [remote('1')], ids: { '/a': '1', '/b': '2' }, gone: ['/b'], prune: '/' },
      ['/b'],
    ],
    [
      'never without need',
      { locals: [local('/a')], remotes: [remote('1')], ids: { '/a': '1', '/b': '2' }, gone: ['/b'] },
      [],
    ],
  ])('drops the entry %s', (_, situation, stale) => {
    expect(planned(situation).staleFolders).toEqual(stale);
  });
});

describe('a plan for an incomplete list', () => {
  const incomplete = { incompleteReason: 'the service counts 3 items' };

  it.each<[string, Case, unknown[]]>([
    [
      'updates a linked formula that the list shows',
      { locals: [local('/a', { code: 'y' })], remotes: [remote('1')], ids: { '/a': '1' }, seen: [remote('1')] },
      [['update', '/a', '1', { fields: ['code'] }]],
    ],
    [
      'deletes a linked formula that the list shows',
      { remotes: [remote('1')], ids: { '/a': '1' }, seen: [remote('1')], gone: ['/a'], prune: '/' },
      [['delete', '/a', '1']],
    ],
    [
      'reports several formulas of a name as a conflict',
      { locals: [local('/a')], remotes: [remote('1'), remote('2')] },
      [['conflict', '/a', expect.stringContaining('2 formulas')]],
    ],
  ])('%s', (_, situation, steps) => {
    expect(planned({ ...situation, ...incomplete }).steps.map(brief)).toEqual(steps);
  });

  it.each<[string, Case, string]>([
    ['to create a formula', { locals: [local('/a')] }, 'which formula a is'],
    ['to match the only formula of a name', { locals: [local('/a')], remotes: [remote('1')] }, 'which formula a is'],
    [
      'to create a formula in place of a linked one that the list does not show',
      { locals: [local('/a')], ids: { '/a': '1' } },
      'which formula a is',
    ],
    [
      'to rename a formula',
      { locals: [local('/a', { name: 'New' })], remotes: [remote('1')], ids: { '/a': '1' }, seen: [remote('1')] },
      'whether the new name of a is in use',
    ],
    [
      'to prune a formula that the list does not show',
      { locals: [local('/a')], remotes: [remote('1')], ids: { '/a': '1', '/old': '2' }, gone: ['/old'], prune: '/' },
      'whether the formula 2 of /old still exists',
    ],
    [
      'to accept a lock file of which the list shows nothing',
      { locals: [local('/a')], ids: { '/a': '1', '/b': '2' } },
      'could not check whether the lock file is for this service',
    ],
  ])('is not enough %s', (_, situation, message) => {
    const refusal = () => planned({ ...situation, ...incomplete });
    expect(refusal).toThrow(message);
    expect(refusal).toThrow('the service counts 3 items');
    expect(refusal).toThrow(expect.objectContaining({ outcome: 'unavailable' }));
  });
});
