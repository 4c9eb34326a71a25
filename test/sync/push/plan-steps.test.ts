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
import { BARE } from '../../helpers/folders.ts';

const BODY: FormulaBody = { name: 'Card', type: 'private', code: 'x', ...BARE };

const local = (path: string, change: object): ValidFolder => {
  const body = { ...BODY, ...change };
  return { folder: { displayPath: path.slice(1), path }, name: body.name, body, findings: [], durationMs: 0 };
};
const remote = (id: string, change: object): Formula => ({ ...BODY, id, ...change });

/** A situation: `folders /a name=B, /b; formulas 1; lock /a=1; seen 1; gone /b; prune /; force; incomplete`. */
function parseCase(text: string) {
  const parts = new Map(text.split('; ').map((part) => [part.split(' ')[0], part.replace(/^\S+ ?/, '')]));
  const read = <T>(part: string, create: (first: string, change: object) => T) =>
    (parts.get(part)?.split(', ') ?? []).map((item) => {
      const [first = '', ...changes] = item.split(' ');
      const fields = changes.map((change) => change.split('='));
      return create(
        first,
        Object.fromEntries(fields.map(([field, value]) => [field, value === 'null' ? null : value])),
      );
    });
  return {
    locals: read('folders', local),
    remotes: read('formulas', remote),
    ids: Object.fromEntries(read('lock', (entry) => entry.split('='))) as Record<string, string>,
    gone: read('gone', (path) => path),
    /** The baselines of all folders. */
    seen: read('seen', remote),
    force: parts.has('force'),
    /** The folders below which is pruned. */
    prune: parts.get('prune'),
    incompleteReason: parts.has('incomplete') ? 'the service counts 3 items' : undefined,
  };
}

function planned(text: string) {
  const { locals, remotes, ids, gone, seen, force, prune, incompleteReason } = parseCase(text);
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

/** A step in words: action, folder, id, and what else it has; and then its reason and hint. */
function toWords({ action, folder, name: _, remote: formula, body: __, reason, hint, fields, ...remarks }: Step) {
  const more = Object.entries({ ...remarks, ...(fields.length > 0 && { fields }) })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => (value === true ? key : `${key}=${typeof value === 'string' ? value : toText(value)}`));
  const words = [action, folder.path, ...(formula ? [formula.id] : []), ...more].join(' ');
  return reason ? `${words}: ${[reason, hint].filter(Boolean).join('\n')}` : words;
}

const toText = (value: object | boolean) => (value instanceof Object && 'path' in value ? value.path : String(value));

/** A title, a situation, and the steps; of a reason some parts, with … between them. */
const parseCases = (text: string): [string, string, unknown[]][] =>
  text
    .trim()
    .split(/\n(?! )/)
    .map((part) => {
      const [title = '', situation = '', ...steps] = part.split('\n').map((line) => line.trim());
      return [title, situation, steps.map(toExpected)];
    });

function toExpected(step: string): unknown {
  if (!step.includes(': ')) return step;
  const parts = step.split(' … ').map((part) => part.replace(/[.*+?^{}()|[\]\\]/g, '\\$&'));
  return expect.stringMatching(new RegExp(`^${parts.join('[^]*')}`));
}

describe('the steps of a push', () => {
  it.each(
    parseCases(`
creates a formula that does not exist
  folders /a
  create /a
takes the one formula of the exact name, and changes nothing when it is the same
  folders /a; formulas 1, 2 name=card
  keep /a 1 adopted
adopts and updates it, and marks that it overwrites an unknown version
  folders /a code=y; formulas 1
  update /a 1 adopted overwrites fields=code
leaves several of one name alone
  folders /a; formulas 1, 2
  conflict /a: … 2 formulas have this name (1, 2) … link a 2 --local
never takes an official formula
  folders /a; formulas 1 type=official
  create /a
does not make a second official formula of one name
  folders /a type=official; formulas 1 type=official
  conflict /a: … push does not match official formulas
follows the lock to a formula that has another name
  folders /a name=New; formulas 1; lock /a=1; seen 1
  update /a 1 renamedFrom=Card fields=name
takes ids in any case
  folders /a; formulas AB; lock /a=ab
  keep /a AB
stays with the lock, though another formula has the name
  folders /a; formulas 1, 2 name=Other; lock /a=2; force
  conflict /a 2 renamedFrom=Other overwrites fields=name: … another formula (1)
lets two folders swap their names
  folders /a name=B, /b name=A code=b; formulas 1 name=A, 2 name=B code=b; lock /a=1, /b=2; seen 1 name=A, 2 name=B code=b
  update /a 1 renamedFrom=A fields=name
  update /b 2 renamedFrom=B fields=name
does not rename to a name that a formula without a folder has, forced or not
  folders /a name=B; formulas 1 name=A, 2 name=B; lock /a=1; seen 1 name=A; force
  conflict /a 1 renamedFrom=A fields=name: … new name is in use by another formula (2) … link a 2 --local … delete 2 --local$
does not rename to the name of a formula that a folder outside of the plan has
  folders /a; formulas 1 name=A, 2; lock /a=1, /elsewhere=2; seen 1 name=A
  conflict /a 1 renamedFrom=A fields=name: … (2), which is linked to /elsewhere … Change the name
takes the formula of the name when the id of the lock is gone
  folders /a, /b name=B; formulas 2, 3 name=B; lock /a=1, /b=3
  keep /a 2 adopted missingId=1
  keep /b 3
creates when neither id nor name is there
  folders /a, /b name=B; formulas 3 name=B; lock /a=1, /b=3
  create /a missingId=1
  keep /b 3
continues if the service has none of the ids, if forced
  folders /a; lock /a=1; force
  create /a missingId=1
takes the formula of a folder that was moved
  folders /new; formulas 1; lock /old=1; gone /old
  keep /new 1 movedFrom=/old
does not take the formula of a folder that is still there
  folders /new; formulas 1; lock /old=1
  conflict /new: … linked to /old
creates a name that another folder gives up
  folders /a name=B, /b name=A code=b; formulas 1 name=A; lock /a=1; seen 1 name=A
  update /a 1 renamedFrom=A fields=name
  create /b
stops at what others changed
  folders /a code=z; formulas 1 code=y modified_at=noon modified_by=Z; lock /a=1; seen 1
  conflict /a 1 overwrites fields=code: … changed since the last push or pull … at noon by Z … diff a --local … pull 1 --force --local … push a --force --local$
overwrites what others changed when forced
  folders /a code=z; formulas 1 code=y; lock /a=1; seen 1; force
  update /a 1 overwrites fields=code
finds nothing to do when others made the same change
  folders /a code=y; formulas 1 code=y; lock /a=1; seen 1
  keep /a 1
keeps icon and description that the folder does not mention
  folders /a code=y; formulas 1 icon=data: description=d; seen 1 icon=data: description=d
  update /a 1 adopted preserved=icon,description fields=code
clears a description that is null in the folder
  folders /a description=null; formulas 1 description=d; lock /a=1; seen 1 description=d
  update /a 1 fields=description
leaves formulas without a folder alone
  folders /a; formulas 1, 2 name=B; lock /a=1, /b=2; gone /b
  keep /a 1
deletes them when pruning, below the given paths only, and never what the lock does not list
  folders /x/a; formulas 1, 2 name=B, 3 name=C, 4 name=D; lock /x/a=1, /x/b=2, /y/c=3; gone /x/b, /y/c; prune /x/
  keep /x/a 1
  delete /x/b 2
does not delete what others changed
  formulas 2 code=y; lock /b=2; gone /b; seen 2; prune /
  conflict /b 2 overwrites: … changed since … get 2
does not delete what a moved folder takes
  folders /new; formulas 1; lock /old=1; gone /old; prune /
  keep /new 1 movedFrom=/old
never deletes an official formula
  folders /a; formulas 1, 2 type=official; lock /a=1, /b=2; gone /b; prune /
  keep /a 1
`),
  )('%s', (_, situation, steps) => {
    expect(planned(situation).steps.map(toWords)).toEqual(steps);
  });

  it('rejects a service with none of the ids, which is probably another tenant', () => {
    expect(() => planned('folders /a; formulas 9; lock /a=1, /b=2')).toThrow(
      'none of the 2 formulas in the lock file (/formulas.lock.json) exist',
    );
  });

  const assertTenant = (ids: string[], items: Formula[]) =>
    assertSameTenant({ ids, files: [] }, { items, incompleteReason: undefined }, 'continues', (line) => line);

  it.each<[string, string[], string]>([
    ['a lock without ids', [], '9'],
    ['an id in other letters', ['A1', 'gone'], 'a1'],
    ['one id that is gone', ['gone'], '9'],
  ])('treats %s as this tenant', (_, ids, id) => {
    expect(() => assertTenant(ids, [remote(id, {})])).not.toThrow();
  });

  it('does not count an official formula, which each tenant has, as one in the lock file', () => {
    expect(() => assertTenant(['1', '2'], [remote('1', { type: 'official' })])).toThrow('right tenant');
  });

  it.each<[string, string, string[]]>([
    ['of a moved folder', 'folders /new; formulas 1; lock /old=1; gone /old', ['/old']],
    ['of a pruned folder without a formula', 'folders /a; formulas 1; lock /a=1, /b=2; gone /b; prune /', ['/b']],
    ['never without need', 'folders /a; formulas 1; lock /a=1, /b=2; gone /b', []],
  ])('drops the entry %s', (_, situation, stale) => {
    expect(planned(situation).staleFolders).toEqual(stale);
  });
});

describe('a plan for an incomplete list', () => {
  it.each(
    parseCases(`
updates a linked formula that the list shows
  folders /a code=y; formulas 1; lock /a=1; seen 1; incomplete
  update /a 1 fields=code
deletes a linked formula that the list shows
  formulas 1; lock /a=1; seen 1; gone /a; prune /; incomplete
  delete /a 1
reports several formulas of a name as a conflict
  folders /a; formulas 1, 2; incomplete
  conflict /a: … 2 formulas
`),
  )('%s', (_, situation, steps) => {
    expect(planned(situation).steps.map(toWords)).toEqual(steps);
  });

  const LOCK = 'could not check whether the lock file is for this service';
  it.each([
    ['to create a formula', 'folders /a', 'which formula a is'],
    ['to match the only formula of a name', 'folders /a; formulas 1', 'which formula a is'],
    ['to create a formula in place of a linked one', 'folders /a; lock /a=1', 'which formula a is'],
    ['to rename', 'folders /a name=New; formulas 1; lock /a=1; seen 1', 'whether the new name of a is in use'],
    [
      'to prune a formula that the list does not show',
      'folders /a; formulas 1; lock /a=1, /old=2; gone /old; prune /',
      'whether the formula 2 of /old still exists',
    ],
    ['to accept a lock file of which the list shows nothing', 'folders /a; lock /a=1, /b=2', LOCK],
  ])('is not enough %s', (_, situation, message) => {
    const plan = () => planned(`${situation}; incomplete`);
    expect(plan).toThrow(message);
    expect(plan).toThrow('the service counts 3 items');
    expect(plan).toThrow(expect.objectContaining({ outcome: 'unavailable' }));
  });
});
