/** What a check of the service says about a write whose response was lost or unusable. Pure. */

import { CliError } from '../errors.ts';
import { changedFields, mismatchedFields, mismatchedSentFields } from '../formula-content.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { isPathSafeId } from './formula-guards.ts';
import type { ListResult } from './pagination.ts';
import { ResponseMismatchError } from './response-errors.ts';

/** What is to be done about the lost answer: say success with a note, or raise the error. */
export type WriteVerification<T> = { result: T; note: string } | { error: CliError };

/**
 * After a create: the one formula of this content that is not among `known`, the ids from before, is the one made.
 * `found` are those of its name; without `known` any of them may be older.
 */
export function verifyCreate(
  originalError: CliError,
  body: FormulaBody,
  preexistingIds: ReadonlySet<string> | undefined,
  found: ListResult<Formula> | undefined,
): WriteVerification<Formula> {
  if (!preexistingIds || !found) return { error: originalError };
  const newFormulas = found.items.filter(({ id }) => !preexistingIds.has(id));
  const matching = newFormulas.filter((formula) => mismatchedSentFields(body, formula).length === 0);
  const [formula] = matching;
  if (formula && matching.length === 1 && isPathSafeId(formula.id)) {
    return { result: formula, note: `${formatSuccessNote('create')}: ${formula.id}` };
  }
  // After a 5xx a new formula of other content is somebody else's; after a success the service may have changed ours.
  const isAbsent =
    (isServerError(originalError) ? matching : newFormulas).length === 0 && found.incompleteReason === undefined;
  return { error: isAbsent && isAbsenceConclusive(originalError) ? notAppliedError(originalError) : originalError };
}

/** After an update: done when the content is what was sent, not done when it is what was there `before`. */
export function verifyUpdate(
  originalError: CliError,
  body: FormulaBody,
  before: Formula | undefined,
  found: Formula | undefined,
): WriteVerification<Formula> {
  if (!found) return { error: originalError };
  if (hasSameContent(body, found)) {
    return { result: found, note: formatSuccessNote('update') };
  }
  return { error: before && hasSameContent(before, found) ? notAppliedError(originalError) : originalError };
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
export function verifyIncomplete(
  { operation, body, before, check }: IncompleteWrite,
  found: Formula,
): { result: Formula } | { error: CliError } {
  const mismatched = operation === 'create' ? mismatchedSentFields(body, found) : mismatchedFields(body, found);
  if (mismatched.length === 0) return { result: found };
  const message = `could not confirm the ${operation}: its response was incomplete, and the formula now has another ${mismatched.join(', ')} than was sent`;
  const originalError = new CliError('unknown', message, { hint: `To check, run: ${check}` });
  return verifyUpdate(originalError, body, before, found);
}

/** After a delete: `found` is false when the service said that there is no such formula, undefined when the look failed. */
export function verifyDelete(originalError: CliError, found: boolean | undefined): WriteVerification<undefined> {
  if (found === false) {
    return { result: undefined, note: formatSuccessNote('delete') };
  }
  return { error: found && isAbsenceConclusive(originalError) ? notAppliedError(originalError) : originalError };
}

const hasSameContent = (body: Formula | FormulaBody, formula: Formula) => changedFields(body, formula).length === 0;

const formatSuccessNote = (operation: string) =>
  `the response to the ${operation} request was unusable, but a check shows that it succeeded`;

const isServerError = ({ status = 0 }: CliError) => status >= 500;

/** What is absent was not done, unless it may be done later (no response, or 202 Accepted) or was done in another way. */
const isAbsenceConclusive = (originalError: CliError) =>
  originalError.status !== undefined &&
  originalError.status !== 202 &&
  !(originalError instanceof ResponseMismatchError);

function notAppliedError(originalError: CliError): CliError {
  const isTemporary = isServerError(originalError) || originalError.status === 429;
  return new CliError('unavailable', `${originalError.message}; a check shows that it was not done`, {
    ...originalError,
    cause: originalError,
    hint: isTemporary ? 'try again later' : 'check the base URL: is this the service?',
  });
}
