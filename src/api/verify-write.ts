/** Decides by reading whether a write was applied whose response was lost or unusable. Pure. */
import { CliError } from '../errors.ts';
import { changedFields, findMismatchedFields, findMismatchedSentFields } from '../formula-fields.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { isPathSafeId } from './formula-guards.ts';
import type { ListResult } from './pagination.ts';
import { ResponseMismatchError } from './response-errors.ts';
import { isRateLimited } from './retry/retry-policy.ts';

/** Success with a note, or the error to raise. */
export type WriteVerification<T> = { result: T; note: string } | { error: CliError };

/**
 * After a create: a single new formula (not in `preexistingIds`) with this content is the created one. `found` are the
 * formulas of its name.
 */
export function verifyCreate(
  originalError: CliError,
  body: FormulaBody,
  preexistingIds: ReadonlySet<string> | undefined,
  found: ListResult<Formula> | undefined,
): WriteVerification<Formula> {
  if (!preexistingIds || !found) return { error: originalError };
  const newFormulas = found.items.filter(({ id }) => !preexistingIds.has(id));
  const matching = newFormulas.filter((formula) => findMismatchedSentFields(body, formula).length === 0);
  const [formula] = matching;
  if (formula && matching.length === 1 && isPathSafeId(formula.id)) {
    return { result: formula, note: `${formatSuccessNote('create')}: ${formula.id}` };
  }
  // After a 5xx, others created a new formula with other content; after a 2xx, the service may have changed ours.
  const isAbsent =
    (isServerError(originalError) ? matching : newFormulas).length === 0 && found.incompleteReason === undefined;
  return { error: isAbsent && isAbsenceConclusive(originalError) ? notAppliedError(originalError) : originalError };
}

/** After an update: applied if the content is what was sent, not applied if it is the content before. */
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
  /** The formula before an update. */
  before: Formula | undefined;
  /** A command that shows the formula. */
  check: string;
}

/** After a write with an incomplete response: `found` is the response to a GET, which may lack fields too. */
export function verifyIncomplete(
  { operation, body, before, check }: IncompleteWrite,
  found: Formula,
): { result: Formula } | { error: CliError } {
  const mismatched = operation === 'create' ? findMismatchedSentFields(body, found) : findMismatchedFields(body, found);
  if (mismatched.length === 0) return { result: found };
  const message = `could not confirm the ${operation}: its response was incomplete, and the formula now differs from what was sent (${mismatched.join(', ')})`;
  const originalError = new CliError('unknown', message, { hint: `To check, run: ${check}` });
  return verifyUpdate(originalError, body, before, found);
}

/** After a delete: `found` is whether the formula exists, undefined if the check failed. */
export function verifyDelete(originalError: CliError, found: boolean | undefined): WriteVerification<undefined> {
  if (found === false) {
    return { result: undefined, note: formatSuccessNote('delete') };
  }
  return { error: found && isAbsenceConclusive(originalError) ? notAppliedError(originalError) : originalError };
}

const hasSameContent = (body: Formula | FormulaBody, formula: Formula) => changedFields(body, formula).length === 0;

const formatSuccessNote = (operation: string) =>
  `the response to the ${operation} request was lost, but a check shows that it succeeded`;

const isServerError = ({ status = 0 }: CliError) => status >= 500;

/** Absence proves that a write was not applied, unless it may be applied later (no response, 202 Accepted) or differently. */
const isAbsenceConclusive = (originalError: CliError) =>
  originalError.status !== undefined &&
  originalError.status !== 202 &&
  !(originalError instanceof ResponseMismatchError);

function notAppliedError(originalError: CliError): CliError {
  const isTemporary = isServerError(originalError) || isRateLimited(originalError.status);
  return new CliError('unavailable', `${originalError.message}; a check shows that the change was not applied`, {
    ...originalError,
    cause: originalError,
    hint: isTemporary ? 'Try again later.' : 'Check the base URL.',
  });
}
