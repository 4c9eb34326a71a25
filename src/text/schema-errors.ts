/** Formats the errors of JSON Schemas for messages. The `errorMessage` of a schema is what a value of it must be. Pure. */
import type { JsonPath } from './json-with-positions.ts';
import { truncateText } from './shorten.ts';

/** An error of a validator that src/build/compile-schema.mjs compiled. */
export interface SchemaError {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
  /** The schema with the keyword, and the value. */
  parentSchema?: Schema;
  data?: unknown;
}

/** The part of a JSON Schema that is used. */
export interface Schema {
  title?: string;
  description?: string;
  errorMessage?: string;
  type?: string | string[];
  enum?: string[];
  properties?: Record<string, Schema>;
  propertyNames?: Schema;
  items?: Schema;
}

/** A problem with the value at a path, or with its last key. */
export interface SchemaProblem {
  path: JsonPath;
  message: string;
}

/** The problems, each once: `expect must be an object (got 1)`. */
export function formatSchemaErrors(errors: readonly SchemaError[], root: unknown): SchemaProblem[] {
  const problems = new Map<string, SchemaProblem>();
  for (const error of errors) {
    // The error of an alternative says nothing without the others.
    if (error.keyword === 'if' || /\/(oneOf|anyOf|propertyNames)\/./.test(error.schemaPath)) continue;
    const problem = formatSchemaError(error, parsePointer(error.instancePath, root));
    problems.set(JSON.stringify(problem), problem);
  }
  return [...problems.values()];
}

function formatSchemaError({ keyword, params, parentSchema = {}, data }: SchemaError, path: JsonPath): SchemaProblem {
  const { title = 'the value', errorMessage, properties = {} } = parentSchema;
  const key = path.at(-1);
  const subject = typeof key === 'string' ? key : title;
  switch (keyword) {
    case 'additionalProperties': {
      const unknown = String(params['additionalProperty']);
      const known = Object.keys(properties).join(', ');
      const message = `unknown key ${JSON.stringify(unknown)} in ${title}; must be one of ${known}`;
      return { path: [...path, unknown], message };
    }
    case 'required': {
      const missing = String(params['missingProperty']);
      return { path, message: `missing ${JSON.stringify(missing)}: ${title} ${errorMessage}` };
    }
    case 'dependencies': {
      const property = String(params['property']);
      return { path: [...path, property], message: `${property} requires ${params['missingProperty']}` };
    }
    case 'propertyNames': {
      const name = String(params['propertyName']);
      return { path: [...path, name], message: `${JSON.stringify(name)} ${parentSchema.propertyNames?.errorMessage}` };
    }
    case 'not':
      return { path, message: `${subject} ${errorMessage}` };
    default:
      return {
        path,
        message: `${subject} ${errorMessage ?? formatPredicate(keyword, params)} (got ${formatShort(data)})`,
      };
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** What a value must be by a keyword of its schema. */
export function formatPredicate(keyword: string, params: Record<string, unknown>): string {
  const list = (value: unknown) => [value].flat().map(String);
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${list(params['type'])
        .map((type) => TYPES[type] ?? type)
        .join(' or ')}`;
    case 'enum':
      return `must be one of: ${list(params['allowedValues']).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must be at most ${params['limit']} characters long`;
    default:
      return 'is not valid';
  }
}

const MAX_SHOWN = 40;

/** A value as JSON, truncated for a message. */
const formatShort = (value: unknown): string => truncateText(JSON.stringify(value) ?? 'nothing', MAX_SHOWN);

/** A JSON pointer as a path; a step is an index where the value there is an array. */
export function parsePointer(pointer: string, root: unknown): JsonPath {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(value) ? Number(key) : key;
      value = (value as Record<string | number, unknown>)[step];
      return step;
    });
}

/** A path for messages: `request_parameters[0].type`. */
export const formatJsonPath = (path: JsonPath): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
