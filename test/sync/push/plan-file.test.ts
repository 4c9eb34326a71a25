/** The saved plan: what is written is read again, and what contradicts itself is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashContent } from '../../../src/formula-fields.ts';
import type { Formula, FormulaBody } from '../../../src/model.ts';
import { parsePlanFile } from '../../../src/sync/push/parse-plan-file.ts';
import { formatPlanFile, type PlanFile, type PlannedStep, toPlannedStep } from '../../../src/sync/push/plan-file.ts';
import { anyFormulas, legalName } from '../../helpers/any-formula.ts';
import { runs } from '../../helpers/runs.ts';

const content = (name: string, code = 'old'): FormulaBody => ({
  name,
  type: 'private',
  code,
  configuration: [{ name: 'BRANDS', type: 'string' }],
  request_parameters: [{ name: 'card', type: 'string', optional: true }],
});
const formula = (name: string): Formula => ({ ...content(name), id: `id of ${name}` });
const local = (name: string) => ({
  folder: name,
  path: `/repo/${name}`,
  name,
  type: 'private' as const,
  body: content(name),
});
const at = (folder: string) => ({ folder, lock_file: 'formulas.lock.json' });

const step = (action: PlannedStep['action'], name: string, body?: FormulaBody, remote?: Formula) =>
  toPlannedStep({ action, path: '', fields: [], local: body && local(name), remote }, body, at(name));

const STEPS = [
  step('create', 'new', content('new')),
  step('update', 'card', content('card', 'new'), formula('card')),
  step('delete', 'gone', undefined, formula('gone')),
  { ...step('conflict', 'bank', content('bank', 'ours'), formula('bank')), reason: 'it changed' },
];

const plan = (more: Partial<Record<keyof PlanFile | 'schema_version', unknown>> = {}) => ({
  schema_version: 1,
  tool_version: '1.0.0',
  target: 'staging',
  base_url: 'https://api.example',
  commit: 'a'.repeat(40),
  paths: ['.', 'formulas'],
  steps: STEPS,
  ...more,
});
const parse = (value: unknown) => parsePlanFile(Buffer.from(JSON.stringify(value)), 'plan.json');
const changed = (index: number, more: Record<string, unknown>) =>
  plan({ steps: STEPS.map((one, i) => (i === index ? { ...one, ...more } : one)) });

describe('a plan file', () => {
  it('is read as it was written, whatever formulas contain', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(
      fc.property(anyFormulas(anyText, legalName), anyText, fc.boolean(), (formulas, text, isForced) => {
        const steps = formulas.map((remote, i) =>
          toPlannedStep(
            { action: 'update', path: '', fields: [], remote, overwrites: isForced },
            { ...content(remote.name), code: text },
            at(`formulas/${i}`),
          ),
        );
        const { schema_version: _, ...expected } = plan({ steps, target: text, ...(isForced && { force: true }) });
        const { schema_version: version, ...parsed } = JSON.parse(
          JSON.stringify(parsePlanFile(Buffer.from(formatPlanFile(expected as unknown as PlanFile)), 'plan.json')),
        );
        expect([version, parsed]).toEqual([1, expected]);
      }),
      { numRuns: runs(50) },
    );
  });

  it('contains what would be sent: an update with the description and icon that the service keeps', () => {
    const remote = { ...formula('card'), description: 'theirs', icon: 'data:image/png;base64,AAAA' };
    const { local: sent, local_hash: hash } = step('update', 'card', content('card', 'new'), remote);
    expect(sent).toEqual({ ...content('card', 'new'), description: 'theirs', icon: 'data:image/png;base64,AAAA' });
    expect(hash).toBe(hashContent(sent as FormulaBody));
  });

  it('is not written if it is too large to be read again', () => {
    const large = { ...step('create', 'new', content('new')), local: content('new', 'x'.repeat(65 * 1024 * 1024)) };
    expect(() => formatPlanFile(plan({ steps: [large] }) as unknown as PlanFile)).toThrow(
      expect.objectContaining({ outcome: 'usage', message: expect.stringContaining('no plan was written') }),
    );
  });

  const other = content('card', 'forged');
  it.each<[string, unknown, string]>([
    ['a list', [], 'it must be a JSON object'],
    ['nothing', null, 'it must be a JSON object'],
    ['an empty object', {}, 'schema_version must be 1'],
    ['a later version', plan({ schema_version: 2 }), 'schema_version must be 1 (got 2)'],
    ['a version that is a string', plan({ schema_version: '1' }), 'schema_version must be 1'],
    ['no steps', plan({ steps: undefined }), 'steps must be an array of objects'],
    ['a step that is null', plan({ steps: [null] }), 'steps must be an array of objects'],
    ['a commit that is an option of git', plan({ commit: '--output=x' }), 'commit must be the id of a commit, or null'],
    ['a --since that is a name', plan({ since: 'main' }), 'since must be the id of a commit'],
    ['force that is not true', plan({ force: 1 }), 'force must be true, or absent'],
    ['a path above the repository', plan({ paths: ['../other'] }), 'paths must be an array of paths in the repository'],
    ['an absolute path', plan({ paths: ['/etc'] }), 'paths must be an array of paths in the repository'],
    [
      'an unknown action',
      changed(0, { action: 'keep' }),
      'steps[0]: action must be one of create, update, delete, conflict',
    ],
    ['an action of every object', changed(0, { action: 'constructor' }), 'steps[0]: action must be one of'],
    [
      'a folder above the repository',
      changed(0, { folder: 'a/../../b' }),
      'steps[0]: folder must be a path in the repository',
    ],
    ['an absolute folder', changed(0, { folder: '/etc' }), 'steps[0]: folder must be a path in the repository'],
    ['an empty folder', changed(0, { folder: '' }), 'steps[0]: folder must be a path in the repository'],
    ['a folder with a NUL', changed(0, { folder: 'a\0b' }), 'steps[0]: folder must be a path in the repository'],
    ['a folder that is a number', changed(0, { folder: 1 }), 'steps[0]: folder must be a path in the repository'],
    ['a lock file elsewhere', changed(0, { lock_file: '../formulas.lock.json' }), 'steps[0]: lock_file must be a path'],
    [
      'an empty id',
      changed(1, { id: '' }),
      'steps[1]: id must be a string of at most 10000 characters that is not empty, or null',
    ],
    ['a name that is an object', changed(1, { name: {} }), 'steps[1]: name must be a string'],
    ['a name of another content', changed(1, { name: 'harmless' }), 'steps[1]: name must be the name of its content'],
    ['a content of another hash', changed(1, { local: other }), 'steps[1]: local_hash must be the hash of local'],
    [
      'a hash of another content',
      changed(1, { local_hash: hashContent(other) }),
      'local_hash must be the hash of local',
    ],
    ['a remote content of another hash', changed(2, { remote: other }), 'remote_hash must be the hash of remote'],
    [
      'an incomplete content',
      changed(1, { local: { name: 'card' } }),
      'local must be the content of a formula, or null',
    ],
    [
      'a content with a parameter that is null',
      changed(1, { local: { ...other, configuration: [null] } }),
      'local must be',
    ],
    ['a content of an unknown type', changed(1, { local: { ...other, type: 'x' } }), 'local must be the content'],
    ['a create with an id', changed(0, { id: 'id of card' }), 'the id and the contents must match the action create'],
    ['an update without a remote content', changed(1, { remote: null }), 'must match the action update'],
    ['a delete without an id', changed(2, { id: null }), 'the id and the contents must match the action delete'],
    [
      'a delete that sends something',
      changed(2, { local: other, local_hash: hashContent(other) }),
      'must match the action delete',
    ],
    ['a version of 1 MB', plan({ tool_version: 'A'.repeat(1e6) }), 'tool_version must be a string of at most 10000'],
    ['a reason of 1 MB', changed(0, { reason: 'A'.repeat(1e6) }), 'reason must be a string of at most 10000'],
    ['a folder of 4097 characters', changed(0, { folder: `${'a/'.repeat(2048)}a` }), 'folder must be a path in the'],
    ['more paths than folders', plan({ paths: Array(20_001).fill('a') }), 'paths must be an array of paths in the'],
    ['one folder twice', changed(2, { folder: 'card' }), 'steps[2]: another step has the same folder'],
    ['one id twice', changed(2, { id: 'ID OF CARD' }), 'steps[2]: another step has the same id'],
  ])('is refused with %s', (_, value, problem) => {
    expect(() => parse(value)).toThrow(
      expect.objectContaining({ outcome: 'invalid', message: expect.stringContaining(problem) }),
    );
  });

  it.each([
    ['no JSON', 'plan'],
    ['half a plan', JSON.stringify(plan()).slice(0, -9)],
    ['a million nested lists', '['.repeat(1_000_000)],
    ['objects nested in a key that is not read', `{"x":${'{"x":'.repeat(1_000)}1${'}'.repeat(1_000)}}`],
    ['millions of values', `[${'0,'.repeat(2_100_000)}0]`],
  ])('is refused with %s, without using much memory', (_, text) => {
    expect(() => parsePlanFile(Buffer.from(text), 'plan.json')).toThrow('plan.json is not a valid plan');
  });

  it('shows at most a few characters of what is too long', () => {
    const long = 'A'.repeat(1e6);
    for (const value of [plan({ base_url: long }), changed(0, { lock_file: long }), changed(1, { id: long })])
      expect(() => parse(value)).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,200}$/) }));
  });

  it('may have keys that a reader does not know', () => {
    expect(parse(plan({ more: 1 } as object)).steps).toHaveLength(STEPS.length);
  });
});
