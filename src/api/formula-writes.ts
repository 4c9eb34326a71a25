/** Writing reactor formulas (spec 4.2, 4.5 and 4.6). */

import { CliError } from '../errors.ts';
import { deniedFields, deniedOfSent, isIncomplete } from '../formula-content.ts';
import type { Formula, FormulaBody } from '../model.ts';
import type { Call, Send } from './client.ts';
import { isFormula, isPlainId, otherId } from './formula-guards.ts';
import { findFormulaById, getFormula, listFormulas, PATH } from './formula-reads.ts';
import { findNamesakes, type Namesakes } from './incomplete-list.ts';
import {
  afterCreate,
  afterDelete,
  afterIncomplete,
  afterUpdate,
  type IncompleteWrite,
  type Verdict,
} from './verify-write.ts';

/**
 * Creates a formula and gives it as the service returned it, or as a GET returns it after an incomplete response. When the response is lost, unusable, or of another content,
 * the list tells whether it was created: the one formula of this content that is not among `known`, the ids before, as
 * far as those of its name are known. Raises unavailable when it was not created, unknown when that cannot be told.
 */
export async function createFormula(
  send: Send,
  body: FormulaBody,
  known: ReadonlySet<string> | undefined,
): Promise<Formula> {
  const call: Call<Formula> = {
    ...createCall(body),
    doing: `create the formula ${JSON.stringify(body.name)}`,
    permission: 'reactor:create',
    check: send.command('formula list'),
    read: (answer) => (isFormula(answer) ? answer : undefined),
    doubt: (made) => strangeId(made, known) ?? denial(deniedOfSent(body, made)),
  };
  const created = await orLook(send, call, async (lost) => {
    const found = known && (await lookForName(send, body.name, known).catch(() => undefined));
    return afterCreate(lost, body, known, found);
  });
  if (!isIncomplete(body, created)) return created;
  const check = send.command('formula get', created.id);
  return readWritten(send, created, { operation: 'create', body, before: undefined, check });
}

/** The formulas of a name, the new ones with their code, which some services leave out of lists. */
async function lookForName(send: Send, name: string, known: ReadonlySet<string>): Promise<Namesakes> {
  const list = await listFormulas(send, {
    doing: 'check whether the formula was created',
    needsContent: (one) => one.name === name,
  });
  const { formulas, doubt } = await findNamesakes(send, list, name);
  const isPartial = ({ id, code }: Formula) => code == null && !known.has(id) && isPlainId(id);
  const complete = formulas.map((formula) => (isPartial(formula) ? getFormula(send, formula.id) : formula));
  return { formulas: await Promise.all(complete), doubt };
}

/**
 * Replaces a formula. After an empty or incomplete response, a GET returns it. When the answer is lost or of another
 * content, a GET tells whether it was done: the content is what was sent, or what was there `before`. Raises unavailable when it was not
 * done, unknown when that cannot be told.
 */
export async function updateFormula(send: Send, id: string, body: FormulaBody, before?: Formula): Promise<Formula> {
  const check = send.command('formula get', id);
  const call: Call<Formula | 'empty'> = {
    ...updateCall(id, body),
    doing: 'update the formula',
    permission: 'reactor:update',
    check,
    read: (found) => (found === undefined ? 'empty' : isFormula(found) ? found : undefined),
    doubt: (found) => (found === 'empty' ? undefined : (otherId(found, id) ?? denial(deniedFields(body, found)))),
  };
  const answer = await orLook(send, call, async (lost) => {
    return afterUpdate(lost, body, before, await getFormula(send, id).catch(() => undefined));
  });
  if (answer !== 'empty' && !isIncomplete(body, answer)) return answer;
  return readWritten(send, answer === 'empty' ? { id } : answer, { operation: 'update', body, before, check });
}

/**
 * The formula as a GET returns it after a write whose response was empty or incomplete. Raises unavailable when the write
 * was not done, unknown when that cannot be told.
 */
async function readWritten(
  send: Send,
  response: Formula | Pick<Formula, 'id'>,
  write: IncompleteWrite,
): Promise<Formula> {
  const doing = `check the result of the ${write.operation}, whose response was incomplete`;
  const found = await getFormula(send, response.id, doing).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    // A command that was interrupted reads no more; an id and a name prove the write.
    if (error.outcome === 'interrupted' && 'name' in response) return { ...response, ...write.body };
    throw unknownSince(error, write.check);
  });
  const verdict = afterIncomplete(write, found);
  if ('error' in verdict) throw verdict.error;
  return verdict.done;
}

function strangeId({ id }: Formula, known: ReadonlySet<string> | undefined): string | undefined {
  if (!isPlainId(id)) return `the response has an id that cannot be part of a URL: ${JSON.stringify(id)}`;
  return known?.has(id) ? `the response shows a formula that existed before: ${id}` : undefined;
}

/** What speaks against an answer that has other fields than were sent. */
const denial = (fields: readonly string[]) =>
  fields.length > 0 ? `the answer shows another ${fields.join(', ')} than was sent` : undefined;

/**
 * Deletes a formula; whatever body a 2xx brings is fine. When the answer is lost, a GET tells whether it was done.
 * Raises not_found for an id that is not there, unavailable when it was not done, unknown when that cannot be told.
 */
export async function deleteFormula(send: Send, id: string): Promise<void> {
  const call: Call<true> = {
    method: 'DELETE',
    doing: 'delete the formula',
    permission: 'reactor:delete',
    check: send.command('formula get', id),
    path: [PATH, id],
    read: () => true,
  };
  await orLook(send, call, async (lost) => {
    const isThere = await findFormulaById(send, id).then(Boolean, () => undefined);
    return afterDelete(lost, isThere);
  });
}

/** Sends a write; when its outcome stays open, what a look at the service says decides. */
async function orLook<T, U>(send: Send, call: Call<T>, look: (lost: CliError) => Promise<Verdict<U>>): Promise<T | U> {
  try {
    return await send(call);
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'unknown') throw error;
    const verdict = await look(error);
    if ('error' in verdict) throw verdict.error;
    send.warn(`note: ${verdict.note}`);
    return verdict.done;
  }
}

/** The write was answered with success, but what it did cannot be shown. */
const unknownSince = (error: CliError, check: string) =>
  new CliError('unknown', error.message, { ...error, cause: error, hint: `To check, run: ${check}` });

type WriteCall = Pick<Call<unknown>, 'method' | 'path'> & { body: FormulaBody };

/** What a create sends. */
export const createCall = (body: FormulaBody): WriteCall => ({ method: 'POST', path: [PATH], body });

/** What an update sends. */
export const updateCall = (id: string, body: FormulaBody): WriteCall => ({ method: 'PUT', path: [PATH, id], body });
