/** The fields of the arguments or the configuration; dotted names nest. */
import type { RequestParameter } from '../../model.ts';
import { isObject } from '../../text/json-type.ts';
import { create, visible } from './elements.ts';
import { createField, type Field } from './field.ts';

export interface Fields {
  element: HTMLElement;
  read(): object;
  write(values: unknown): void;
  /** Shows the errors by name, and returns the first field that has one. */
  showErrors(errors: ReadonlyMap<string, readonly string[]>): Field | undefined;
}

/** Any name is possible, also that of a member of Object. */
type Values = { [name: string]: unknown };

/** `isNested`: whether a dot in a name is a level. */
export function createFields(declared: readonly RequestParameter[], isNested: boolean): Fields {
  const element = create('div', { class: 'fields' });
  const paths = declared.map(({ name }) => (isNested ? name.split('.') : [name]));
  const findGroup = createGroups(paths, element);
  const fields = declared.map((one, i) => {
    const path = paths[i] ?? [];
    const { group, rest } = findGroup(path.slice(0, -1));
    const field = createField(one, [...rest, ...path.slice(-1)].join('.'));
    group.append(field.element);
    return { field, path };
  });
  return {
    element,
    read: () => {
      const values = createValues();
      for (const { field, path } of fields) setAt(values, path, field.read());
      return values;
    },
    write: (values) => {
      for (const { field, path } of fields) field.write(getAt(values, path));
    },
    showErrors: (errors) => {
      for (const { field } of fields) field.showErrors(errors.get(field.name) ?? []);
      return fields.find(({ field }) => errors.has(field.name))?.field;
    },
  };
}

interface Group {
  group: HTMLElement;
  /** The last steps of the path, which have no group of their own. */
  rest: readonly string[];
}

/** Finds the group of a path; a step with a single child gets none. */
function createGroups(paths: readonly (readonly string[])[], root: HTMLElement) {
  const children = new Map<string, Set<string>>();
  for (const path of paths)
    for (const [i, step] of path.entries()) {
      const key = JSON.stringify(path.slice(0, i));
      children.set(key, (children.get(key) ?? new Set()).add(step));
    }
  const groups = new Map<string, HTMLElement>();
  const find = (path: readonly string[]): Group => {
    if (path.length === 0) return { group: root, rest: [] };
    const key = JSON.stringify(path);
    const known = groups.get(key);
    if (known) return { group: known, rest: [] };
    const parent = find(path.slice(0, -1));
    const rest = [...parent.rest, ...path.slice(-1)];
    if ((children.get(key)?.size ?? 0) < 2) return { ...parent, rest };
    const group = create('fieldset', { class: 'group' }, create('legend', {}, visible(rest.join('.'))));
    parent.group.append(group);
    groups.set(key, group);
    return { group, rest: [] };
  };
  return find;
}

const createValues = (): Values => Object.create(null);

/** Sets a value in nested objects. A value that is also the parent of another gives way to it. */
function setAt(values: Values, path: readonly string[], value: unknown): void {
  if (value === undefined) return;
  let at = values;
  for (const step of path.slice(0, -1)) {
    const inner = at[step];
    const next = isObject(inner) ? inner : createValues();
    at[step] = next;
    at = next;
  }
  const last = path.at(-1) ?? '';
  if (!isObject(at[last])) at[last] = value;
}

const getAt = (values: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), values);
