/** Decides whether a write was applied whose response was lost or unusable: raises the error otherwise. Pure. */
import { CliError } from '../errors.ts';
import { changedFields, findMismatchedSentFields } from '../formula-fields.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { isPathSafeId } from './formula-guards.ts';
import type { ListResult } from './pagination.ts';
import { ResponseMismatchError } from './response-errors.ts';
import { isRateLimited } from './retry/retry-policy.ts';

/**
 * After a create: the created one is a single new formula (not in `preexistingIds`) with this content. `found` are the
 * formulas of its name.
 */
export function verifyCreate(
  originalError: CliError,
  body: FormulaBody,
  preexistingIds: ReadonlySet<string> | undefined,
  found: ListResult<Formula> | undefined,
): Formula {
  if (!preexistingIds || !found) throw originalError;
  const newFormulas = found.items.filter(({ id }) => !preexistingIds.has(id));
  const matching = newFormulas.filter((formula) => findMismatchedSentFields(body, formula).length === 0);
  const [formula] = matching;
  if (formula && matching.length === 1 && isPathSafeId(formula.id)) return formula;
  // After a 5xx, others created a new formula with other content; after a 2xx, the service may have changed ours.
  const isAbsent = (isServerError(originalError) ? matching : newFormulas).length === 0;
  throw toFinalError(originalError, isAbsent && found.incompleteReason === undefined && isConclusive(originalError));
}

/** After an update: applied if the content is what was sent, not applied if it is the content before. */
export function verifyUpdate(
  originalError: CliError,
  body: FormulaBody,
  before: Formula | undefined,
  found: Formula | undefined,
): Formula {
  if (found && hasSameContent(body, found)) return found;
  throw toFinalError(originalError, found && before && hasSameContent(before, found));
}

/** After a delete: `found` is whether the formula exists, undefined if the check failed. */
export function verifyDelete(originalError: CliError, found: boolean | undefined): undefined {
  if (found !== false) throw toFinalError(originalError, found && isConclusive(originalError));
  return undefined;
}

const hasSameContent = (body: Formula | FormulaBody, formula: Formula) => changedFields(body, formula).length === 0;

const isServerError = ({ status = 0 }: CliError) => status >= 500;

/** Absence proves that a write was not applied, unless it may be applied later (no response, 202 Accepted) or differently. */
const isConclusive = (originalError: CliError) =>
  originalError.status !== undefined &&
  originalError.status !== 202 &&
  !(originalError instanceof ResponseMismatchError);

function toFinalError(originalError: CliError, isNotApplied: boolean | undefined): CliError {
  if (!isNotApplied) return originalError;
  const isTemporary = isServerError(originalError) || isRateLimited(originalError.status);
  return new CliError('unavailable', `${originalError.message}; a check shows that the change was not applied`, {
    ...originalError,
    cause: originalError,
    hint: isTemporary ? 'Try again later.' : 'Check the base URL.',
  });
}
