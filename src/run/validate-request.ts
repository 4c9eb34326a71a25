/** Validates the args and configuration of an invocation against the manifest (spec 2.4 and 2.5). Pure. */
import type { ConfigurationElement, Declarations, RequestParameter, ValueType } from '../model.ts';
import { describeType, isObject, type JsonObject } from '../text/json-type.ts';

type Root = 'args' | 'configuration';

/** A value that does not match the manifest. */
export interface Deviation {
  root: Root;
  /** What is declared, such as `args.card.number`; only the root if that itself is wrong. */
  name: string;
  /** Below the root. */
  path: readonly string[];
  message: string;
}

/** What a formula is called with. */
export interface RunRequest {
  args: unknown;
  configuration: unknown;
}

/** Validates args and configuration. */
export const findRequestDeviations = ({ args, configuration }: RunRequest, declared: Declarations): Deviation[] => [
  ...findArgsDeviations(args, declared.request_parameters),
  ...findConfigurationDeviations(configuration, declared.configuration),
];

/**
 * Validates args against the declared parameters. Undeclared members may have any value (spec 2.5 rule 1). If no
 * parameter is declared, args may also be an array (rule 2).
 */
export function findArgsDeviations(args: unknown, parameters: readonly RequestParameter[]): Deviation[] {
  if (Array.isArray(args) && parameters.length === 0) return [];
  if (!isObject(args))
    return [toWrongRoot('args', args, parameters.length === 0 ? 'an object or an array' : 'an object')];
  const found = parameters.flatMap((parameter) => findDeviation('args', args, parameter));
  // A wrong parent is reported once, not for each of its children.
  return found.filter(({ message }, i) => found.findIndex((other) => other.message === message) === i);
}

/** Validates a reactor's configuration against the declared elements, all of which are required. */
export function findConfigurationDeviations(value: unknown, elements: readonly ConfigurationElement[]): Deviation[] {
  if (!isObject(value)) return [toWrongRoot('configuration', value, 'an object')];
  return elements.flatMap((element) => findDeviation('configuration', value, element));
}

const toWrongRoot = (root: Root, value: unknown, expected: string): Deviation => ({
  root,
  name: root,
  path: [],
  message: `${root} must be ${expected} (got ${describeType(value)})`,
});

function findDeviation(root: Root, top: JsonObject, { name: declared, type, optional }: RequestParameter): Deviation[] {
  const path = root === 'args' ? declared.split('.') : [declared];
  const name = [root, ...path].join('.');
  const deviate = (depth: number, message: string) => [{ root, name, path: path.slice(0, depth), message }];
  let value: unknown = top;
  for (const [depth, step] of path.entries()) {
    if (!isObject(value)) {
      const parent = [root, ...path.slice(0, depth)].join('.');
      return deviate(depth, `${parent} must be an object (got ${describeType(value)})`);
    }
    if (!Object.hasOwn(value, step)) {
      if (optional) return [];
      const flatKey = path.join('.');
      const nesting = path.length > 1 && Object.hasOwn(top, flatKey) ? `, nested instead of the key "${flatKey}"` : '';
      return deviate(depth, `${name} is required (${type}${nesting})`);
    }
    value = value[step];
  }
  return typeof value === type ? [] : deviate(path.length, `${name} must be a ${type} (got ${describeType(value)})`);
}

/** Converts declared values to their types where their text allows it. Other values stay unchanged. */
export const castRequest = ({ args, configuration }: RunRequest, declared: Declarations): RunRequest => ({
  args: declared.request_parameters.reduce((cast, { name, type }) => castAt(cast, name.split('.'), type), args),
  configuration: declared.configuration.reduce((cast, { name, type }) => castAt(cast, [name], type), configuration),
});

function castAt(value: unknown, [step, ...rest]: readonly string[], type: ValueType): unknown {
  if (step === undefined) return castTo(value, type);
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: castAt(value[step], rest, type) };
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function castTo(value: unknown, type: ValueType): unknown {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof value !== 'string') return value;
  if (type === 'number') return NUMBER.test(value.trim()) ? Number(value) : value;
  return { true: true, false: false }[value.trim()] ?? value;
}
