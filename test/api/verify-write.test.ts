import { describe, expect, it } from 'vitest';
import { verifyCreate, verifyDelete, verifyUpdate } from '../../src/api/verify-write.ts';
import { CliError } from '../../src/errors.ts';
import type { Formula, FormulaBody } from '../../src/model.ts';

const BODY: FormulaBody = {
  name: 'Tokenize a card',
  type: 'private',
  code: 'x',
  configuration: [],
  request_parameters: [],
};
const made = (id: string, changes: Partial<Formula> = {}): Formula => ({ ...BODY, id, ...changes });
const lost = (status?: number) => new CliError('unknown', 'lost', { status, hint: 'look', details: { a: 1 } });
const NO_ANSWER = undefined;

/** done, or the outcome that is raised. */
function ending(verify: () => unknown): string {
  try {
    verify();
    return 'done';
  } catch (error) {
    return (error as CliError).outcome;
  }
}

describe('verifyCreate', () => {
  it.each<[string, number | undefined, Formula[] | undefined, boolean, string]>([
    ['no response, and the new version exists', NO_ANSWER, [made('old'), made('new')], true, 'done'],
    ['500, and the new one is there', 500, [made('new')], true, 'done'],
    ['500, and it is absent', 500, [made('old')], true, 'unavailable'],
    ['no response, and it does not exist', NO_ANSWER, [made('old')], true, 'unknown'],
    ['an unusable 200, and it is absent', 200, [made('old')], true, 'unavailable'],
    ['an unusable 200, and a new one of another content', 200, [made('a', { code: 'y' })], true, 'unknown'],
    ['an unusable 202, which may be done later', 202, [made('old')], true, 'unknown'],
    ['a redirect, and it is absent', 302, [made('old')], true, 'unavailable'],
    ['an unusable 200, and it has an icon of its own', 200, [made('a', { icon: 'data:,x' })], true, 'done'],
    ['500, and it is absent from a list that lacks something', 500, [made('old')], false, 'unknown'],
    ['500, and two new ones', 500, [made('a'), made('b')], true, 'unknown'],
    ['500, and a new one of another content', 500, [made('a', { code: 'y' })], true, 'unavailable'],
    ['500, and no list', 500, undefined, true, 'unknown'],
  ])('%s', (_, status, items, isComplete, wanted) => {
    const list = items && { items, incompleteReason: isComplete ? undefined : 'the service counts 3 items' };
    expect(ending(() => verifyCreate(lost(status), BODY, new Set(['old']), list))).toBe(wanted);
  });
});

describe('verifyUpdate', () => {
  const before = made('a', { code: 'before' });
  it.each<[string, Formula | undefined, Formula | undefined, string]>([
    ['what was sent is there', before, made('a', { modified_at: 'now' }), 'done'],
    ['the previous version exists', before, { ...before }, 'unavailable'],
    ['something else is there', before, made('a', { code: 'z' }), 'unknown'],
    ['something else is there, and what was before is not known', undefined, made('a', { code: 'z' }), 'unknown'],
    ['the look failed', before, undefined, 'unknown'],
  ])('%s', (_, was, found, wanted) => {
    expect(ending(() => verifyUpdate(lost(), BODY, was, found))).toBe(wanted);
  });
});

describe('verifyDelete', () => {
  it.each<[string, number | undefined, boolean | undefined, string]>([
    ['it is gone', NO_ANSWER, false, 'done'],
    ['500, and it is there', 500, true, 'unavailable'],
    ['no response, and it exists', NO_ANSWER, true, 'unknown'],
    ['an unusable 200, and it is there', 200, true, 'unavailable'],
    ['500, and the look failed', 500, undefined, 'unknown'],
  ])('%s', (_, status, found, wanted) => {
    expect(ending(() => verifyDelete(lost(status), found))).toBe(wanted);
  });
});

describe('a write that was not applied', () => {
  it('keeps the details of the response', () => {
    expect(() => verifyDelete(lost(500), true)).toThrow(
      expect.objectContaining({
        outcome: 'unavailable',
        message: 'lost; a check shows that the change was not applied',
        status: 500,
        details: { a: 1 },
      }),
    );
  });
});
