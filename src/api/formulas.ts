/** The operations on reactor formulas (spec 4.2 to 4.6). */
import { deniedFields } from '../content.ts';
import { CliError } from '../errors.ts';
import type { Formula, FormulaBody } from '../model.ts';
import { shellWord } from '../shell-word.ts';
import type { Call, Send } from './client.ts';
import { formulaPage, isFormula, isPlainId, sameId } from './formula-shape.ts';
import { afterCreate, afterDelete, afterEmptyUpdate, afterUpdate, type Verdict } from './look.ts';
import { type Collected, collectPages, type Page } from './pages.ts';

const PATH = 'reactor-formulas';
const NO_PAGE: Page<Formula> = { items: [], totalPages: undefined, totalItems: undefined };

/**
 * Every formula, official and private, of all pages; `name` is the service's own wildcard search. `doing` says what the
 * list is for, in words that follow "could not".
 */
export async function listFormulas(send: Send, name?: string, doing = 'list the formulas'): Promise<Formula[]> {
  return (await collectFormulas(send, name, doing)).items;
}

function collectFormulas(send: Send, name: string | undefined, doing: string): Promise<Collected<Formula>> {
  return collectPages(send.warn, async (page, size) => {
    try {
      return await send({
        method: 'GET',
        doing,
        permission: 'reactor:read',
        path: [PATH],
        query: { name, page: String(page), size: String(size) },
        read: formulaPage,
      });
    } catch (error) {
      // Some services answer so to a page behind the last one.
      if (page > 1 && error instanceof CliError && error.status === 404) return NO_PAGE;
      throw error;
    }
  });
}

/** Asks for as little as proves that the key may read formulas. Raises denied when it may not. */
export function checkReading(send: Send): Promise<true> {
  return send({
    method: 'GET',
    doing: 'read with this API key',
    permission: 'reactor:read',
    path: [PATH],
    query: { page: '1', size: '1' },
    read: (body) => (formulaPage(body) ? true : undefined),
  });
}

/** One formula. Raises not_found for an id that is not there. */
export function getFormula(send: Send, id: string, doing = 'get the formula'): Promise<Formula> {
  return send({
    method: 'GET',
    doing,
    permission: 'reactor:read',
    path: [PATH, id],
    read: (body) => (isFormula(body) && sameId(body.id, id) ? body : undefined),
  });
}

/** The formula of an id, or undefined when there is none. */
export async function findFormulaById(send: Send, id: string): Promise<Formula | undefined> {
  try {
    return await getFormula(send, id);
  } catch (error) {
    if (error instanceof CliError && error.outcome === 'not_found') return undefined;
    throw error;
  }
}

/**
 * Creates a formula and gives it as the service answered. When the answer is lost or says nothing, a look at the list
 * tells whether it was made: the one formula of this content that is not among `known` (the ids before). So it does when
 * the answer is of another content. Raises unavailable when it was not made, unknown when that cannot be told.
 */
export async function createFormula(send: Send, body: FormulaBody, known: ReadonlySet<string>): Promise<Formula> {
  const call: Call<Formula> = {
    ...createCall(body),
    doing: `create the formula ${JSON.stringify(body.name)}`,
    permission: 'reactor:create',
    check: send.command('formula list'),
    read: (answer) => (isFormula(answer) && isPlainId(answer.id) && !known.has(answer.id) ? answer : undefined),
    // A service may give a formula what it was sent nothing of, such as an icon.
    doubt: (made) => denial(deniedFields(body, made).filter((field) => body[field] !== undefined)),
  };
  return orLook(send, call, async (lost) => {
    const list = await collectFormulas(send, undefined, 'look whether it was created').catch(() => undefined);
    return afterCreate(lost, body, known, list);
  });
}

/**
 * Replaces a formula. After an empty answer, a GET shows what is there now. When the answer is lost or of another
 * content, a GET tells whether it was done: the content is what was sent, or what was there `before`. Raises unavailable when it was not
 * done, unknown when that cannot be told.
 */
export async function updateFormula(send: Send, id: string, body: FormulaBody, before?: Formula): Promise<Formula> {
  const check = send.command(`formula get ${shellWord(id)}`);
  const call: Call<Formula | 'empty'> = {
    ...updateCall(id, body),
    doing: 'update the formula',
    permission: 'reactor:update',
    check,
    read: (found) => (found === undefined ? 'empty' : isFormula(found) && sameId(found.id, id) ? found : undefined),
    doubt: (found) => (found === 'empty' ? undefined : denial(deniedFields(body, found))),
  };
  const answer = await orLook(send, call, async (lost) => {
    return afterUpdate(lost, body, before, await getFormula(send, id).catch(() => undefined));
  });
  if (answer !== 'empty') return answer;
  const found = await getFormula(send, id, 'see what the update did, as its answer was empty').catch(
    (error: unknown) => {
      throw error instanceof CliError ? unknownSince(error, check) : error;
    },
  );
  const verdict = afterEmptyUpdate(body, before, found, check);
  if ('error' in verdict) throw verdict.error;
  return verdict.done;
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
    check: send.command(`formula get ${shellWord(id)}`),
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
  new CliError('unknown', error.message, { ...error, cause: error, hint: `look with: ${check}` });

type WriteCall = Pick<Call<unknown>, 'method' | 'path'> & { body: FormulaBody };

/** What a create sends. */
export const createCall = (body: FormulaBody): WriteCall => ({ method: 'POST', path: [PATH], body });

/** What an update sends. */
export const updateCall = (id: string, body: FormulaBody): WriteCall => ({ method: 'PUT', path: [PATH, id], body });

/** Whether a word that names a formula on the command line is an id, which is a UUID; else it is a name. */
export const isId = (word: string): boolean => UUID.test(word);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Finds the formula that a word means. A name is compared by exact code points with the complete list and never
 * becomes part of a path. Raises not_found (5) for none, conflict (6) with the ids for several.
 */
export async function findFormula(send: Send, word: string): Promise<Formula> {
  if (isId(word)) return getFormula(send, word);
  return findListed(send, await listFormulas(send), word);
}

/** The one of all formulas that a word means. Raises as `findFormula` does. */
export function findListed(send: Send, formulas: readonly Formula[], word: string): Formula {
  const list = send.command('formula list');
  if (!isId(word)) return findNamed(formulas, word, `names are compared exactly, case and all; ${list} shows them`);
  const found = formulas.find(({ id }) => sameId(id, word));
  if (found) return found;
  throw new CliError('not_found', `no formula has the id ${word}`, { hint: `${list} shows the ids` });
}

/** The one of all formulas that has a name. Raises not_found (5) with `hint`, conflict (6) with the ids of several. */
export function findNamed(formulas: readonly Formula[], name: string, hint: string): Formula {
  const matches = formulas.filter((formula) => formula.name === name);
  const [match, ...more] = matches;
  if (!match) throw new CliError('not_found', `no formula has the name ${JSON.stringify(name)}`, { hint });
  if (more.length === 0) return match;
  const ids = matches.map(({ id }) => id);
  throw new CliError(
    'conflict',
    `${matches.length} formulas have the name ${JSON.stringify(name)}: ${ids.join(', ')}`,
    {
      hint: 'give the id instead',
      details: { ids },
    },
  );
}
