/** The changes of a contract that stop existing reactors and callers from working (spec 2.4 and 2.5). Pure. */
import type { Formula, RequestParameter } from '../../model.ts';
import { groupBy } from '../../text/group-by.ts';
import { listFirst } from '../../text/shorten.ts';

/** After it, existing reactors (`configuration`) or callers (`request_parameters`) are rejected. */
export interface BreakingChange {
  field: 'configuration' | 'request_parameters';
  /** The element of the new contract. */
  name: string;
  why: 'added' | 'retyped' | 'required';
  /** The change in words, such as `(string) is new`. */
  detail: string;
}

type Contract = Pick<Formula, BreakingChange['field']>;

/**
 * In the order of the new contract. A removed element, a new optional one, and one that becomes optional break nothing:
 * undeclared arguments are forwarded unchecked.
 */
export const findBreakingChanges = (before: Contract, after: Contract): BreakingChange[] =>
  (['configuration', 'request_parameters'] as const).flatMap((field) =>
    compareElements(field, readElements(before[field]), readElements(after[field])),
  );

/** `breaks existing reactors: configuration REGION (string) is new` */
export const formatBreakingChange = (change: BreakingChange): string => formatBreakingChanges([change]);

const AFFECTED = {
  configuration: ['reactors', 'configuration'],
  request_parameters: ['callers', 'request parameter'],
} as const;

/** The same for several: `breaks existing reactors: …, and existing callers: …` */
export function formatBreakingChanges(changes: readonly BreakingChange[]): string {
  const groups = [...groupBy(changes, ({ field }) => field)].map(([field, found]) => {
    const [affected, kind] = AFFECTED[field];
    return `existing ${affected}: ${listFirst(found.map(({ name, detail }) => `${kind} ${name} ${detail}`))}`;
  });
  return `breaks ${groups.join(', and ')}`;
}

/** The changes without words, for JSON. */
export const listBreakingItems = (changes: readonly BreakingChange[]): Omit<BreakingChange, 'detail'>[] =>
  changes.map(({ field, name, why }) => ({ field, name, why }));

type Elements = ReadonlyMap<string, RequestParameter>;

/** The elements by name. A name may be declared twice: it is optional if each of them is. */
const readElements = (elements: readonly RequestParameter[] | null | undefined): Elements =>
  new Map(
    [...groupBy(elements ?? [], ({ name }) => name)].flatMap(([name, [first, ...others]]) =>
      first ? [[name, { ...first, optional: [first, ...others].every(({ optional }) => optional) }]] : [],
    ),
  );

type Change = Pick<BreakingChange, 'why' | 'detail'>;

function compareElements(field: BreakingChange['field'], before: Elements, after: Elements): BreakingChange[] {
  const findRelative = createRelativeFinder(before, after);
  const findOldName = createRenameFinder(before, after);
  const compareAdded = (element: RequestParameter): Change | undefined => {
    const { name, type, optional } = element;
    if (field === 'configuration' || !optional) {
      const oldName = findOldName(element);
      const rename = oldName === undefined ? '' : ` (renamed from ${oldName}?)`;
      return { why: 'added', detail: `(${type}) is new${field === 'configuration' ? '' : ' and required'}${rename}` };
    }
    const relative = findRelative(name);
    if (!relative) return undefined;
    const was = name.startsWith(relative.name) ? `${relative.name} was a ${relative.type}` : 'was an object';
    return { why: 'retyped', detail: `(${type}) is new, and ${was}` };
  };
  return [...after.values()].flatMap((element) => {
    const old = before.get(element.name);
    const change = old ? compareTypes(old, element) : compareAdded(element);
    return change ? [{ field, name: element.name, ...change }] : [];
  });
}

function compareTypes(old: RequestParameter, { type, optional }: RequestParameter): Change | undefined {
  if (old.type !== type) return { why: 'retyped', detail: `is now a ${type} (was a ${old.type})` };
  return old.optional && !optional ? { why: 'required', detail: `(${type}) is now required` } : undefined;
}

/** Finds an old parameter that a new one is nested in, or contains: a value that becomes an object, or was one. */
function createRelativeFinder(before: Elements, after: Elements): (name: string) => RequestParameter | undefined {
  const relatives = new Map<string, RequestParameter | undefined>();
  // The parents of a name are those names before it that it starts with.
  const parents: string[] = [];
  for (const dotted of [...new Set([...before.keys(), ...after.keys()])].map((name) => `${name}.`).sort()) {
    while (parents.length > 0 && !dotted.startsWith(`${parents.at(-1)}.`)) parents.pop();
    const name = dotted.slice(0, -1);
    for (const parent of parents)
      for (const [one, other] of [
        [name, parent],
        [parent, name],
      ] as const)
        if (!before.has(one) && before.has(other)) relatives.set(one, before.get(other));
    parents.push(name);
  }
  return (name) => relatives.get(name);
}

/** Finds the one element that was removed, if everything but the name of the one that was added is the same. */
function createRenameFinder(before: Elements, after: Elements): (added: RequestParameter) => string | undefined {
  const getKind = ({ type, description }: RequestParameter) => JSON.stringify([type, description ?? '']);
  const groupMissing = (elements: Elements, others: Elements) =>
    groupBy(
      [...elements.values()].filter(({ name }) => !others.has(name)),
      getKind,
    );
  const [removed, added] = [groupMissing(before, after), groupMissing(after, before)];
  return (element) => {
    const [old, ...others] = removed.get(getKind(element)) ?? [];
    return others.length === 0 && added.get(getKind(element))?.length === 1 ? old?.name : undefined;
  };
}
