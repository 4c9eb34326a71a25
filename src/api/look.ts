/** What a look at the service says of a write whose answer was lost or of no use. Pure. */
import { changedFields, deniedFields } from '../content.ts';
import { CliError } from '../errors.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { isPlainId } from './formula-shape.ts';
import type { Namesakes } from './unlisted.ts';

/** What is to be done about the lost answer: say success with a note, or raise the error. */
export type Verdict<T> = { done: T; note: string } | { error: CliError };

/**
 * After a create: the one formula of this content that is not among `known`, the ids from before, is the one made.
 * `found` are those of its name; without `known` any of them may be older.
 */
export function afterCreate(
  lost: CliError,
  body: FormulaBody,
  known: ReadonlySet<string> | undefined,
  found: Namesakes | undefined,
): Verdict<Formula> {
  if (!known || !found) return { error: lost };
  const made = found.formulas.filter((formula) => !known.has(formula.id) && isSame(body, formula));
  const [formula] = made;
  if (formula && made.length === 1 && isPlainId(formula.id)) {
    return {
      done: formula,
      note: `the answer to the create was of no use, but a look shows that it was done: ${formula.id}`,
    };
  }
  const isAbsent = made.length === 0 && found.doubt === undefined;
  return { error: isAbsent && wasAnswered(lost) ? notDone(lost) : lost };
}

/** After an update: done when the content is what was sent, not done when it is what was there `before`. */
export function afterUpdate(
  lost: CliError,
  body: FormulaBody,
  before: Formula | undefined,
  found: Formula | undefined,
): Verdict<Formula> {
  if (!found) return { error: lost };
  if (isSame(body, found)) {
    return { done: found, note: 'the answer to the update was of no use, but a look shows that it was done' };
  }
  return { error: before && isSame(before, found) ? notDone(lost) : lost };
}

/** After an update whose answer was empty: `found` is what a GET shows since, which may leave fields out. */
export function afterEmptyUpdate(
  body: FormulaBody,
  before: Formula | undefined,
  found: Formula,
  check: string,
): { done: Formula } | { error: CliError } {
  const denied = deniedFields(body, found);
  if (denied.length === 0) return { done: found };
  const message = `could not update the formula: its answer was empty, and what is there since has another ${denied.join(', ')} than was sent`;
  const lost = new CliError('unknown', message, { hint: `it may have been done all the same; look with: ${check}` });
  return afterUpdate(lost, body, before, found);
}

/** After a delete: `found` is false when the service said that there is no such formula, undefined when the look failed. */
export function afterDelete(lost: CliError, found: boolean | undefined): Verdict<undefined> {
  if (found === false) {
    return { done: undefined, note: 'the answer to the delete was of no use, but a look shows that it was done' };
  }
  return { error: found && wasAnswered(lost) ? notDone(lost) : lost };
}

const isSame = (body: Formula | FormulaBody, formula: Formula) => changedFields(body, formula).length === 0;

/** A 5xx is the service's own word that it failed; without an answer the write may yet be done. */
const wasAnswered = ({ status = 0 }: CliError) => status >= 500;

function notDone(lost: CliError): CliError {
  return new CliError('unavailable', `${lost.message}; a look shows that it was not done`, {
    ...lost,
    cause: lost,
    hint: 'try again later',
  });
}
