/** Creates an example request that matches a manifest. Pure. */
import type { Declarations, ValueType } from '../model.ts';
import { isObject } from '../text/json-type.ts';

/** Has no prototype, because a manifest may declare any name. */
type ExampleObject = { [name: string]: unknown };

const EXAMPLES: Record<ValueType, string | number | boolean> = { string: 'text', number: 1, boolean: true };

/** The required args and configuration. */
export function createExampleRequest({ request_parameters, configuration }: Declarations) {
  const args = createObject();
  for (const { name, type, optional } of request_parameters)
    if (!optional) setValue(args, name.split('.'), EXAMPLES[type]);
  const settings = createObject();
  for (const { name, type } of configuration) settings[name] = EXAMPLES[type];
  return { args, configuration: settings };
}

export const createObject = (): ExampleObject => Object.create(null);

/** A parameter that is also the parent of another is replaced by it. */
export function setValue(args: ExampleObject, path: readonly string[], value: unknown): void {
  let at = args;
  for (const step of path.slice(0, -1)) {
    const inner = at[step];
    const child: ExampleObject = isObject(inner) ? inner : createObject();
    at[step] = child;
    at = child;
  }
  const last = path.at(-1) ?? '';
  if (!isObject(at[last])) at[last] = value;
}
