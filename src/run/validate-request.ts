/** Validates the args and configuration of an invocation against the manifest (spec 2.4 and 2.5). Pure. */
import type { ConfigurationElement, FormulaBody, RequestParameter, ValueType } from '../model.ts';
import { describeType, isObject } from '../text/json-type.ts';

/** A value that does not match the manifest; the path starts below `args` or `configuration`. */
export interface Deviation {
  path: readonly string[];
  message: string;
}

/**
 * Validates args against the declared parameters. Undeclared members may have any value (spec 2.5 rule 1). If no
 * parameter is declared, args may also be an array (rule 2).
 */
export function findArgsDeviations(args: unknown, parameters: readonly RequestParameter[]): Deviation[] {
  if (Array.isArray(args) && parameters.length === 0) return [];
  if (!isObject(args)) {
    const expected = parameters.length === 0 ? 'an object or an array' : 'an object';
    return [{ path: [], message: `args must be ${expected} (got ${describeType(args)})` }];
  }
  const found = parameters.flatMap(({ name, type, optional }) =>
    findDeviation('args', args, name.split('.'), type, optional ?? false),
  );
  // A wrong parent is reported once, not for each of its children.
  return found.filter(({ message }, i) => found.findIndex((other) => other.message === message) === i);
}

/** Validates a reactor's configuration against the declared elements, all of which are required. */
export function findConfigurationDeviations(value: unknown, elements: readonly ConfigurationElement[]): Deviation[] {
  if (!isObject(value)) return [{ path: [], message: `configuration must be an object (got ${describeType(value)})` }];
  return elements.flatMap(({ name, type }) => findDeviation('configuration', value, [name], type, false));
}

/** Validates both. */
export const findRequestDeviations = (
  { args, configuration }: { args: unknown; configuration: unknown },
  declarations: Pick<FormulaBody, 'request_parameters' | 'configuration'>,
): Deviation[] => [
  ...findArgsDeviations(args, declarations.request_parameters),
  ...findConfigurationDeviations(configuration, declarations.configuration),
];

function findDeviation(
  root: string,
  top: Readonly<Record<string, unknown>>,
  path: readonly string[],
  type: ValueType,
  isOptional: boolean,
): Deviation[] {
  let value: unknown = top;
  for (const [depth, step] of path.entries()) {
    if (!isObject(value)) {
      const parent = path.slice(0, depth);
      const message = `${[root, ...parent].join('.')} must be an object (got ${describeType(value)})`;
      return [{ path: parent, message }];
    }
    if (!Object.hasOwn(value, step)) {
      if (isOptional) return [];
      const flatKey = path.join('.');
      const nesting = path.length > 1 && Object.hasOwn(top, flatKey) ? `, nested instead of the key "${flatKey}"` : '';
      const message = `${[root, ...path].join('.')} is required (${type}${nesting})`;
      return [{ path: path.slice(0, depth), message }];
    }
    value = value[step];
  }
  if (typeof value === type) return [];
  return [{ path, message: `${[root, ...path].join('.')} must be a ${type} (got ${describeType(value)})` }];
}

/** Converts declared values to their types where their text allows it. Other values stay unchanged. */
export function castArgs(args: unknown, parameters: readonly RequestParameter[]): unknown {
  return parameters.reduce((cast, { name, type }) => castAt(cast, name.split('.'), type), args);
}

/** Converts the declared values of a configuration likewise. */
export function castConfiguration(value: unknown, elements: readonly ConfigurationElement[]): unknown {
  return elements.reduce((cast, { name, type }) => castAt(cast, [name], type), value);
}

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
