/** The saved plan: what is written is read again, and what is not a plan is rejected. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPlanFile, type PlanFile, type PlannedStep, parsePlanFile } from '../../../src/sync/push/plan-file.ts';
import { runs } from '../../helpers/runs.ts';

const step = (action: PlannedStep['action'], name: string, more: Partial<PlannedStep> = {}): PlannedStep => ({
  action,
  folder: name,
  lock_file: 'formulas.lock.json',
  id: `id of ${name}`,
  name,
  local_hash: 'local',
  remote_hash: 'remote',
  ...more,
});

const STEPS = [
  step('create', 'new', { id: null, remote_hash: null }),
  step('update', 'card', { overwrites: true }),
  step('delete', 'gone', { local_hash: null }),
  step('conflict', 'bank', { reason: 'it changed' }),
  step('keep', 'moved', { moved_from: 'old' }),
];

const plan = (more: Partial<Record<keyof PlanFile | 'schema_version', unknown>> = {}) => ({
  schema_version: 1,
  tool_version: '1.0.0',
  target: 'staging',
  base_url: 'https://api.example',
  repository: '.',
  commit: 'a'.repeat(40),
  paths: ['.', 'formulas'],
  steps: STEPS,
  ...more,
});
const parse = (value: unknown) => parsePlanFile(Buffer.from(JSON.stringify(value)), 'plan.json');
const changed = (index: number, more: Record<string, unknown>) =>
  plan({ steps: STEPS.map((one, i) => (i === index ? { ...one, ...more } : one)) });

describe('a plan file', () => {
  it('is read as it was written, whatever names contain', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(
      fc.property(fc.array(anyText), anyText, fc.boolean(), (names, text, isForced) => {
        const steps = names.map((name, i) => step('update', name, { folder: `formulas/${i}`, id: `id ${i}` }));
        const written = plan({ steps, target: text, ...(isForced && { force: true }) });
        const { schema_version: _, ...expected } = written;
        const file = Buffer.from(formatPlanFile(expected as unknown as PlanFile));
        expect(JSON.parse(JSON.stringify(parsePlanFile(file, 'plan.json')))).toEqual(
          JSON.parse(JSON.stringify(written)),
        );
      }),
      { numRuns: runs(50) },
    );
  });

  it('is not written if it is too large to be read again', () => {
    const large = step('create', 'x'.repeat(65 * 1024 * 1024));
    expect(() => formatPlanFile(plan({ steps: [large] }) as unknown as PlanFile)).toThrow(
      expect.objectContaining({ outcome: 'usage', message: expect.stringContaining('no plan was written') }),
    );
  });

  it.each<[string, unknown, string]>([
    ['a list', [], 'it must be a JSON object'],
    ['nothing', null, 'it must be a JSON object'],
    ['an empty object', {}, 'missing "schema_version"'],
    ['an unknown key', plan({ more: 1 } as object), 'unknown key "more" in the plan'],
    ['a later version', plan({ schema_version: 2 }), 'schema_version must be 1 (got 2)'],
    ['a version that is a string', plan({ schema_version: '1' }), 'schema_version must be 1'],
    ['no steps', plan({ steps: undefined }), 'missing "steps"'],
    ['a null step', plan({ steps: [null] }), 'steps[0]: a step must be as formula diff --out saved it (got null)'],
    ['a commit that is an option of git', plan({ commit: '--output=x' }), 'commit must be the id of a commit, or null'],
    ['a --since that is a name', plan({ since: 'main' }), 'since must be the id of a commit'],
    ['force that is not true', plan({ force: 1 }), 'force must be true, or absent'],
    ['a path above it', plan({ paths: ['../other'] }), 'every path must be in the repository (got "../other")'],
    ['an absolute path', plan({ paths: ['/etc'] }), 'every path must be in the repository'],
    [
      'an unknown action',
      changed(0, { action: 'move' }),
      'steps[0]: action must be one of: create, update, keep, delete, conflict',
    ],
    ['an action of every object', changed(0, { action: 'constructor' }), 'steps[0]: action must be one of'],
    ['a folder above the repository', changed(0, { folder: 'a/../../b' }), 'every path must be in the repository'],
    ['an absolute folder', changed(0, { folder: '/etc' }), 'every path must be in the repository'],
    ['an empty folder', changed(0, { folder: '' }), 'every path must be in the repository'],
    ['a folder with a NUL', changed(0, { folder: 'a\0b' }), 'every path must be in the repository'],
    ['a folder in node_modules', changed(0, { folder: 'node_modules/a' }), 'every path must be in the repository'],
    ['a folder that is a number', changed(0, { folder: 1 }), 'steps[0]: folder must be a path in the repository'],
    ['a lock file elsewhere', changed(0, { lock_file: '../formulas.lock.json' }), 'every path must be in'],
    [
      'an empty id',
      changed(1, { id: '' }),
      'steps[1]: id must be a string of at most 10000 characters that is not empty, or null',
    ],
    ['a name that is an object', changed(1, { name: {} }), 'steps[1]: name must be a string'],
    ['a hash that is a content', changed(1, { local_hash: {} }), 'local_hash must be a string'],
    ['a folder above that it was moved from', changed(4, { moved_from: '../x' }), 'every path must be in'],
    ['a pattern for excluded folders', plan({ excluded: ['/**'] }), 'every path must be in'],
    ['a version of 1 MB', plan({ tool_version: 'A'.repeat(1e6) }), 'tool_version must be a string of at most 10000'],
    ['a reason of 1 MB', changed(0, { reason: 'A'.repeat(1e6) }), 'reason must be a string of at most 10000'],
    ['a folder of 4097 characters', changed(0, { folder: `${'a/'.repeat(2048)}a` }), 'every path must be in'],
    ['too many paths', plan({ paths: Array(20_001).fill('a') }), 'paths must be an array of at most 20000 paths'],
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
      expect(() => parse(value)).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,220}$/) }));
  });
});
