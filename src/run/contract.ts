/** The contract of a formula (spec 2.4 to 2.6): what it may be given, and what it must answer. Pure. */
import type { ConfigurationElement, RequestParameter, ValueType } from '../model.ts';

/** One thing in which a value departs from the contract; the path leads to it from `args` or `configuration`. */
export interface Deviation {
  path: readonly string[];
  message: string;
}

/**
 * Holds the args of an invocation against the declared parameters. What is not declared may be anything
 * (spec 2.5 rule 1), and without a declaration the whole may be an array too (rule 2).
 */
export function findArgsDeviations(args: unknown, parameters: readonly RequestParameter[]): Deviation[] {
  if (Array.isArray(args) && parameters.length === 0) return [];
  if (!isObject(args)) {
    const expected = parameters.length === 0 ? 'an object or an array' : 'an object';
    return [{ path: [], message: `args is ${describeType(args)}; wanted is ${expected}` }];
  }
  const found = parameters.flatMap(({ name, type, optional }) => {
    const deviation = findDeviation('args', args, name.split('.'), type, optional ?? false);
    return deviation ? [deviation] : [];
  });
  // Several children of one wrong parent are one mistake.
  return found.filter(({ message }, i) => found.findIndex((other) => other.message === message) === i);
}

/** Holds the configuration of a reactor against the declared elements, all of which are required. */
export function findConfigurationDeviations(value: unknown, elements: readonly ConfigurationElement[]): Deviation[] {
  if (!isObject(value)) return [{ path: [], message: `configuration is ${describeType(value)}; wanted is an object` }];
  return elements.flatMap(({ name, type }) => {
    const deviation = findDeviation('configuration', value, [name], type, false);
    return deviation ? [deviation] : [];
  });
}

function findDeviation(
  root: string,
  top: Readonly<Record<string, unknown>>,
  path: readonly string[],
  type: ValueType,
  isOptional: boolean,
): Deviation | undefined {
  let value: unknown = top;
  for (const [depth, step] of path.entries()) {
    if (!isObject(value)) {
      const parent = path.slice(0, depth);
      const message = `${[root, ...parent].join('.')} is ${describeType(value)}; wanted is an object`;
      return { path: parent, message };
    }
    if (!Object.hasOwn(value, step)) {
      if (isOptional) return undefined;
      const flat = path.length > 1 && Object.hasOwn(top, path.join('.')) ? ', nested instead of in one name' : '';
      return {
        path: path.slice(0, depth),
        message: `${[root, ...path].join('.')} is missing; wanted is a ${type}${flat}`,
      };
    }
    value = value[step];
  }
  if (typeof value === type) return undefined;
  return { path, message: `${[root, ...path].join('.')} is ${describeType(value)}; wanted is a ${type}` };
}

/** The args with the declared values turned into their types, where their text says so; the rest is left as it is. */
export function castArgs(args: unknown, parameters: readonly RequestParameter[]): unknown {
  return parameters.reduce((cast, { name, type }) => castAt(cast, name.split('.'), type), args);
}

/** The same for a configuration. */
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

/** What is wrong with a response, and what is odd about it. */
export interface ResponseCheck {
  errors: string[];
  warnings: string[];
}

/** Holds what the function returned against spec 2.6. `undefined` stands for no value at all. */
export function checkResponse(response: unknown): ResponseCheck {
  if (!isObject(response)) {
    return {
      errors: [`the function returned ${describeType(response)}; wanted is an object with raw, tokenize or both`],
      warnings: [],
    };
  }
  const result: ResponseCheck = { errors: [], warnings: [] };
  for (const key of ['raw', 'tokenize'] as const) {
    const value = response[key];
    if (value === undefined || isObject(value)) continue;
    const message = `${key} is ${describeType(value)}; wanted is an object`;
    const isTolerated = value === null || (key === 'raw' && typeof value === 'string');
    result[isTolerated ? 'warnings' : 'errors'].push(message);
  }
  const others = Object.keys(response).filter((key) => key !== 'raw' && key !== 'tokenize');
  if (others.length > 0)
    result.warnings.push(
      `the response has ${others.join(', ')} beside raw and tokenize; the service does not know that`,
    );
  if (response['raw'] === undefined && response['tokenize'] === undefined)
    result.warnings.push('the response has neither raw nor tokenize, so nothing comes out of the invocation');
  return result;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value's kind in the words of JSON. */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing (undefined)';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
