/** What a check of the service says about a write whose response was lost or unusable. Pure. */

import { CliError } from '../errors.ts';
import { changedFields, deniedFields, deniedOfSent } from '../formula-content.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { isPlainId } from './formula-guards.ts';
import type { Namesakes } from './incomplete-list.ts';
import { ContradictionError } from './response-errors.ts';

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
  const fresh = found.formulas.filter(({ id }) => !known.has(id));
  const made = fresh.filter((formula) => deniedOfSent(body, formula).length === 0);
  const [formula] = made;
  if (formula && made.length === 1 && isPlainId(formula.id)) {
    return { done: formula, note: `${succeeded('create')}: ${formula.id}` };
  }
  // After a 5xx a new formula of other content is somebody else's; after a success the service may have changed ours.
  const isAbsent = (isServerError(lost) ? made : fresh).length === 0 && found.doubt === undefined;
  return { error: isAbsent && isDecided(lost) ? notDone(lost) : lost };
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
    return { done: found, note: succeeded('update') };
  }
  return { error: before && isSame(before, found) ? notDone(lost) : lost };
}

/** A write whose response was empty or incomplete. */
export interface IncompleteWrite {
  operation: 'create' | 'update';
  body: FormulaBody;
  /** What the service had before an update. */
  before: Formula | undefined;
  /** How to see the formula: a command to run. */
  check: string;
}

/** After a write with an incomplete response: `found` is what a GET returned since, which may leave fields out too. */
export function afterIncomplete(
  { operation, body, before, check }: IncompleteWrite,
  found: Formula,
): { done: Formula } | { error: CliError } {
  const denied = operation === 'create' ? deniedOfSent(body, found) : deniedFields(body, found);
  if (denied.length === 0) return { done: found };
  const message = `could not confirm the ${operation}: its response was incomplete, and the formula now has another ${denied.join(', ')} than was sent`;
  const lost = new CliError('unknown', message, { hint: `To check, run: ${check}` });
  return afterUpdate(lost, body, before, found);
}

/** After a delete: `found` is false when the service said that there is no such formula, undefined when the look failed. */
export function afterDelete(lost: CliError, found: boolean | undefined): Verdict<undefined> {
  if (found === false) {
    return { done: undefined, note: succeeded('delete') };
  }
  return { error: found && isDecided(lost) ? notDone(lost) : lost };
}

const isSame = (body: Formula | FormulaBody, formula: Formula) => changedFields(body, formula).length === 0;

const succeeded = (operation: string) =>
  `the response to the ${operation} request was unusable, but a check shows that it succeeded`;

const isServerError = ({ status = 0 }: CliError) => status >= 500;

/** What is absent was not done, unless it may be done later (no response, or 202 Accepted) or was done in another way. */
const isDecided = (lost: CliError) =>
  lost.status !== undefined && lost.status !== 202 && !(lost instanceof ContradictionError);

function notDone(lost: CliError): CliError {
  const isOfService = isServerError(lost) || lost.status === 429;
  return new CliError('unavailable', `${lost.message}; a check shows that it was not done`, {
    ...lost,
    cause: lost,
    hint: isOfService ? 'try again later' : 'check the base URL: is this the service?',
  });
}
