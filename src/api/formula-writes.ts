/** Writing reactor formulas (spec 4.2, 4.5 and 4.6). */
import { CliError } from '../errors.ts';
import { findMismatchedFields, findMismatchedSentFields, isIncomplete } from '../formula-fields.ts';
import type { Formula, FormulaBody, NamedFormula } from '../model.ts';
import type { ServiceCall, ServiceClient } from './client.ts';
import { idMismatchMessage, isFormula, isPathSafeId } from './formula-guards.ts';
import { FORMULAS_PATH, findFormulaById, getFormula, listFormulas } from './formula-reads.ts';
import { filterByName } from './incomplete-list.ts';
import type { ListResult } from './pagination.ts';
import { verifyCreate, verifyDelete, verifyUpdate } from './verify-write.ts';

/** A written formula; `note` says so if its response was lost, and a check shows that it was written. */
export interface WriteResult {
  formula: Formula;
  note?: string | undefined;
}

/**
 * Creates a formula and returns the service's response, or that of a GET after an incomplete response. If the response is
 * lost, unusable, or has other content, the list shows whether it was created: a single formula of this content that is
 * not in `preexistingIds`. Raises unavailable if it was not created, unknown if that cannot be decided.
 */
export async function createFormula(
  client: ServiceClient,
  body: FormulaBody,
  preexistingIds: ReadonlySet<string> | undefined,
): Promise<WriteResult> {
  const call: ServiceCall<Formula> = {
    ...buildCreateCall(body),
    description: `create the formula ${JSON.stringify(body.name)}`,
    permission: 'reactor:create',
    check: client.command('formula list'),
    decode: (value) => (isFormula(value) ? value : undefined),
    validate: (created) =>
      unexpectedIdMessage(created, preexistingIds) ?? mismatchMessage(findMismatchedSentFields(body, created)),
  };
  const { result: created, note } = await withVerification(client, call, async (originalError) => {
    const found = preexistingIds && (await findNewByName(client, body.name, preexistingIds).catch(() => undefined));
    return verifyCreate(originalError, body, preexistingIds, found);
  });
  if (!isIncomplete(body, created)) return { formula: created, note };
  const check = client.command('formula get', created.id);
  return { formula: await readAfterWrite(client, created, { operation: 'create', body, check }), note };
}

/** Finds the formulas of a name, and reads new ones whose code is missing in the list. */
async function findNewByName(
  client: ServiceClient,
  name: string,
  preexistingIds: ReadonlySet<string>,
): Promise<ListResult<Formula>> {
  const list = await listFormulas(client, {
    description: 'check whether the formula was created',
    needsContent: (one) => one.name === name,
  });
  const { items, incompleteReason } = filterByName(list, name);
  const lacksCode = ({ id, code }: Formula) => code == null && !preexistingIds.has(id) && isPathSafeId(id);
  const complete = items.map((formula) => (lacksCode(formula) ? getFormula(client, formula.id) : formula));
  return { items: await Promise.all(complete), incompleteReason };
}

/**
 * Replaces a formula. After an empty or incomplete response, the result is that of a GET. If the response is lost or has
 * other content, a GET shows whether the update was applied. Raises unavailable if it was not, unknown if that cannot be
 * decided.
 */
export async function updateFormula(
  client: ServiceClient,
  id: string,
  body: FormulaBody,
  before?: Formula,
): Promise<WriteResult> {
  const check = client.command('formula get', id);
  const call: ServiceCall<Formula | 'empty'> = {
    ...buildUpdateCall(id, body),
    description: `update the formula ${JSON.stringify(body.name)}`,
    permission: 'reactor:update',
    check,
    decode: (found) => (found === undefined ? 'empty' : isFormula(found) ? found : undefined),
    validate: (found) =>
      found === 'empty'
        ? undefined
        : (idMismatchMessage(found, id) ?? mismatchMessage(findMismatchedFields(body, found))),
  };
  const { result, note } = await withVerification(client, call, async (originalError) =>
    verifyUpdate(originalError, body, before, await getFormula(client, id).catch(() => undefined)),
  );
  if (result !== 'empty' && !isIncomplete(body, result)) return { formula: result, note };
  const response = result === 'empty' ? { id } : result;
  return { formula: await readAfterWrite(client, response, { operation: 'update', body, before, check }), note };
}

/**
 * Reads the formula after a write whose response was empty or incomplete. Raises unavailable if the write was not applied,
 * unknown if that cannot be decided.
 */
async function readAfterWrite(
  client: ServiceClient,
  response: Formula | Pick<Formula, 'id'>,
  write: { operation: 'create' | 'update'; body: FormulaBody; before?: Formula | undefined; check: string },
): Promise<Formula> {
  const { operation, body, before, check } = write;
  const description = `check the result of the ${operation}, whose response was incomplete`;
  const found = await getFormula(client, response.id, description).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    // An interrupted command sends no more requests; an id and a name prove the write.
    if (error.outcome === 'interrupted' && 'name' in response) return { ...response, ...body };
    // The write succeeded, but its result cannot be read.
    throw new CliError('unknown', error.message, { ...error, cause: error, hint: `To check, run: ${check}` });
  });
  const mismatched = operation === 'create' ? findMismatchedSentFields(body, found) : findMismatchedFields(body, found);
  if (mismatched.length === 0) return found;
  const message = `could not confirm the ${operation}: its response was incomplete, and the formula now differs from what was sent (${mismatched.join(', ')})`;
  return verifyUpdate(new CliError('unknown', message, { hint: `To check, run: ${check}` }), body, before, found);
}

function unexpectedIdMessage({ id }: Formula, preexistingIds: ReadonlySet<string> | undefined): string | undefined {
  if (!isPathSafeId(id)) return `the response has an id that cannot be part of a URL: ${JSON.stringify(id)}`;
  return preexistingIds?.has(id) ? `the response shows a formula that existed before: ${id}` : undefined;
}

const mismatchMessage = (fields: readonly string[]) =>
  fields.length > 0 ? `the response differs from what was sent (${fields.join(', ')})` : undefined;

/**
 * Deletes a formula; the body of a 2xx is ignored. If the response is lost, a GET shows whether the formula was deleted.
 * Raises not_found for an unknown id, unavailable if it was not deleted, unknown if that cannot be decided.
 */
export async function deleteFormula(
  client: ServiceClient,
  { id, name }: NamedFormula,
): Promise<Pick<WriteResult, 'note'>> {
  const call: ServiceCall<true> = {
    method: 'DELETE',
    description: `delete the formula ${JSON.stringify(name)}`,
    permission: 'reactor:delete',
    check: client.command('formula get', id),
    path: [FORMULAS_PATH, id],
    decode: () => true,
  };
  const { note } = await withVerification(client, call, async (originalError) =>
    verifyDelete(originalError, await findFormulaById(client, id).then(Boolean, () => undefined)),
  );
  return { note };
}

const OPERATIONS = { GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/** Sends a write; if its outcome is unknown, `verify` returns the result, or raises the error. */
async function withVerification<T, U extends Formula | undefined>(
  client: ServiceClient,
  call: ServiceCall<T>,
  verify: (originalError: CliError) => Promise<U>,
): Promise<{ result: T | U; note?: string }> {
  try {
    return { result: await client.send(call) };
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'unknown') throw error;
    const result = await verify(error);
    const operation = OPERATIONS[call.method];
    const id = result ? `: ${result.id}` : '';
    const note = `note: the response to the ${operation} request was lost, but a check shows that it succeeded${id}`;
    return { result, note };
  }
}

type WriteCall = Pick<ServiceCall<unknown>, 'method' | 'path'> & { body: FormulaBody };

/** The request of a create. */
export const buildCreateCall = (body: FormulaBody): WriteCall => ({ method: 'POST', path: [FORMULAS_PATH], body });

/** The request of an update. */
export const buildUpdateCall = (id: string, body: FormulaBody): WriteCall => ({
  method: 'PUT',
  path: [FORMULAS_PATH, id],
  body,
});
