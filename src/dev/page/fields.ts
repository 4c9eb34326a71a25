/** The fields of the arguments or the configuration; dotted names nest. */
import type { RequestParameter } from '../../model.ts';
import { createObject, setValue } from '../../run/example-request.ts';
import { isObject } from '../../text/json-type.ts';
import { create, visible } from './elements.ts';
import { createField } from './field.ts';

/** `isNested`: whether a dot in a name is a level. */
export function createFields(declared: readonly RequestParameter[], isNested: boolean) {
  const element = create('div', { class: 'fields' });
  const groups = new Map<string, HTMLElement>([['', element]]);
  const paths = declared.map(({ name }) => (isNested ? name.split('.') : [name]));
  const fields = declared.map((one, i) => {
    const path = paths[i] ?? [];
    const depth = findGroupDepth(path, paths);
    const name = path.slice(0, depth).join('.');
    const group = groups.get(name) ?? create('fieldset', { class: 'group' }, create('legend', {}, visible(name)));
    if (!groups.has(name)) element.append(group);
    groups.set(name, group);
    const field = createField(one, path.slice(depth).join('.'), !isNested);
    group.append(field.element);
    return { field, path };
  });
  return {
    element,
    read: (): object => {
      const values = createObject();
      for (const { field, path } of fields) {
        const value = field.read();
        if (value !== undefined) setValue(values, path, value);
      }
      return values;
    },
    write: (values: unknown) => {
      for (const { field, path } of fields) field.write(getAt(values, path));
    },
    /** Shows the errors by name, and returns the first field that has one. */
    showErrors: (errors: ReadonlyMap<string, readonly string[]>) => {
      for (const { field } of fields) field.showErrors(errors.get(field.name) ?? []);
      return fields.find(({ field }) => errors.has(field.name))?.field.input;
    },
  };
}

/** The length of the longest start of a path that other fields have too; a single field gets no group. */
function findGroupDepth(path: readonly string[], paths: readonly (readonly string[])[]): number {
  const isShared = (depth: number) =>
    paths.filter((other) => other.length > depth && path.slice(0, depth).every((step, i) => other[i] === step)).length >
    1;
  let depth = path.length - 1;
  while (depth > 0 && !isShared(depth)) depth -= 1;
  return depth;
}

const getAt = (values: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), values);
