/** Writing reactor formulas (spec 4.2, 4.5 and 4.6). */

import { CliError } from '../errors.ts';
import { isIncomplete, mismatchedFields, mismatchedSentFields } from '../formula-content.ts';
import type { Formula, FormulaBody } from '../model.ts';
import type { Call, ServiceClient } from './client.ts';
import { idMismatchMessage, isFormula, isPathSafeId } from './formula-guards.ts';
import { FORMULAS_PATH, findFormulaById, getFormula, listFormulas } from './formula-reads.ts';
import { filterByName } from './incomplete-list.ts';
import type { ListResult } from './pagination.ts';
import {
  type IncompleteWrite,
  verifyCreate,
  verifyDelete,
  verifyIncomplete,
  verifyUpdate,
  type WriteVerification,
} from './verify-write.ts';

/**
 * Creates a formula and gives it as the service returned it, or as a GET returns it after an incomplete response. When the response is lost, unusable, or of another content,
 * the list tells whether it was created: the one formula of this content that is not among `known`, the ids before, as
 * far as those of its name are known. Raises unavailable when it was not created, unknown when that cannot be told.
 */
export async function createFormula(
  client: ServiceClient,
  body: FormulaBody,
  preexistingIds: ReadonlySet<string> | undefined,
): Promise<Formula> {
  const call: Call<Formula> = {
    ...buildCreateCall(body),
    description: `create the formula ${JSON.stringify(body.name)}`,
    permission: 'reactor:create',
    check: client.command('formula list'),
    decode: (value) => (isFormula(value) ? value : undefined),
    validate: (created) =>
      unexpectedIdMessage(created, preexistingIds) ?? mismatchMessage(mismatchedSentFields(body, created)),
  };
  const created = await withVerification(client, call, async (originalError) => {
    const found = preexistingIds && (await findNewByName(client, body.name, preexistingIds).catch(() => undefined));
    return verifyCreate(originalError, body, preexistingIds, found);
  });
  if (!isIncomplete(body, created)) return created;
  const check = client.command('formula get', created.id);
  return readAfterWrite(client, created, { operation: 'create', body, before: undefined, check });
}

/** The formulas of a name, the new ones with their code, which some services leave out of lists. */
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
 * Replaces a formula. After an empty or incomplete response, a GET returns it. When the answer is lost or of another
 * content, a GET tells whether it was done: the content is what was sent, or what was there `before`. Raises unavailable when it was not
 * done, unknown when that cannot be told.
 */
export async function updateFormula(
  client: ServiceClient,
  id: string,
  body: FormulaBody,
  before?: Formula,
): Promise<Formula> {
  const check = client.command('formula get', id);
  const call: Call<Formula | 'empty'> = {
    ...buildUpdateCall(id, body),
    description: 'update the formula',
    permission: 'reactor:update',
    check,
    decode: (found) => (found === undefined ? 'empty' : isFormula(found) ? found : undefined),
    validate: (found) =>
      found === 'empty' ? undefined : (idMismatchMessage(found, id) ?? mismatchMessage(mismatchedFields(body, found))),
  };
  const result = await withVerification(client, call, async (originalError) => {
    return verifyUpdate(originalError, body, before, await getFormula(client, id).catch(() => undefined));
  });
  if (result !== 'empty' && !isIncomplete(body, result)) return result;
  return readAfterWrite(client, result === 'empty' ? { id } : result, { operation: 'update', body, before, check });
}

/**
 * The formula as a GET returns it after a write whose response was empty or incomplete. Raises unavailable when the write
 * was not done, unknown when that cannot be told.
 */
async function readAfterWrite(
  client: ServiceClient,
  response: Formula | Pick<Formula, 'id'>,
  write: IncompleteWrite,
): Promise<Formula> {
  const description = `check the result of the ${write.operation}, whose response was incomplete`;
  const found = await getFormula(client, response.id, description).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    // A command that was interrupted reads no more; an id and a name prove the write.
    if (error.outcome === 'interrupted' && 'name' in response) return { ...response, ...write.body };
    throw outcomeUnknownError(error, write.check);
  });
  const verification = verifyIncomplete(write, found);
  if ('error' in verification) throw verification.error;
  return verification.result;
}

function unexpectedIdMessage({ id }: Formula, preexistingIds: ReadonlySet<string> | undefined): string | undefined {
  if (!isPathSafeId(id)) return `the response has an id that cannot be part of a URL: ${JSON.stringify(id)}`;
  return preexistingIds?.has(id) ? `the response shows a formula that existed before: ${id}` : undefined;
}

/** What speaks against an answer that has other fields than were sent. */
const mismatchMessage = (fields: readonly string[]) =>
  fields.length > 0 ? `the answer shows another ${fields.join(', ')} than was sent` : undefined;

/**
 * Deletes a formula; whatever body a 2xx brings is fine. When the answer is lost, a GET tells whether it was done.
 * Raises not_found for an id that is not there, unavailable when it was not done, unknown when that cannot be told.
 */
export async function deleteFormula(client: ServiceClient, id: string): Promise<void> {
  const call: Call<true> = {
    method: 'DELETE',
    description: 'delete the formula',
    permission: 'reactor:delete',
    check: client.command('formula get', id),
    path: [FORMULAS_PATH, id],
    decode: () => true,
  };
  await withVerification(client, call, async (originalError) => {
    const exists = await findFormulaById(client, id).then(Boolean, () => undefined);
    return verifyDelete(originalError, exists);
  });
}

/** Sends a write; when its outcome stays open, what a look at the service says decides. */
async function withVerification<T, U>(
  client: ServiceClient,
  call: Call<T>,
  verify: (originalError: CliError) => Promise<WriteVerification<U>>,
): Promise<T | U> {
  try {
    return await client.send(call);
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'unknown') throw error;
    const verification = await verify(error);
    if ('error' in verification) throw verification.error;
    client.warn(`note: ${verification.note}`);
    return verification.result;
  }
}

/** The write was answered with success, but what it did cannot be shown. */
const outcomeUnknownError = (error: CliError, check: string) =>
  new CliError('unknown', error.message, { ...error, cause: error, hint: `To check, run: ${check}` });

type WriteCall = Pick<Call<unknown>, 'method' | 'path'> & { body: FormulaBody };

/** What a create sends. */
export const buildCreateCall = (body: FormulaBody): WriteCall => ({ method: 'POST', path: [FORMULAS_PATH], body });

/** What an update sends. */
export const buildUpdateCall = (id: string, body: FormulaBody): WriteCall => ({
  method: 'PUT',
  path: [FORMULAS_PATH, id],
  body,
});
