/** Parses the changes on the command line: --set, --set-json, and --unset, in their order. */
import { CliError } from '../errors.ts';
import { suggest } from '../text/did-you-mean.ts';
import type { Change } from './change-manifest.ts';
import { findSchema, listSchemaKeys, parseValue } from './manifest-schema.ts';
import { formatKey, type ParsedKey, parseAssignment, parseKey } from './parse-key.ts';

/** A flag with its value. */
export interface TypedChange {
  flag: '--set' | '--set-json' | '--unset';
  value: string;
}

/** Raises usage (2) for a change that no manifest can have, and if there is none. */
export function parseChanges(typed: readonly TypedChange[]): Change[] {
  if (typed.length === 0) throw new CliError('usage', 'no change was specified: pass --set, --set-json, or --unset');
  return typed.map(({ flag, value }) =>
    flag === '--unset' ? { kind: 'unset', key: readKey(value) } : readAssignment(flag, value),
  );
}

function readKey(value: string): ParsedKey {
  const key = parseKey(value);
  if ('problem' in key)
    throw invalidValueError('--unset', value, `a KEY, for example configuration[REGION].description (${key.problem})`);
  return key;
}

function readAssignment(flag: '--set' | '--set-json', argument: string): Change {
  const read = parseAssignment(argument);
  if ('problem' in read) {
    const example = flag === '--set' ? 'configuration[REGION].type=string' : 'configuration=[]';
    throw invalidValueError(
      flag,
      argument,
      `KEY=${flag === '--set' ? 'VALUE' : 'JSON'}, for example ${example} (${read.problem})`,
    );
  }
  const { key, value } = read;
  return { kind: 'set', key, value: flag === '--set' ? parseTypedValue(key, value) : parseJsonValue(key, value) };
}

function parseTypedValue(key: ParsedKey, text: string): unknown {
  const schema = findSchema(key.steps);
  if (!schema) throw unknownKeyError(key);
  const read = parseValue(text, schema);
  if ('value' in read) return read.value;
  throw invalidValueError(`--set ${key.text}`, text, read.expected);
}

function parseJsonValue(key: ParsedKey, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const hint = findSchema(key.steps) ? `To set a string, run the command with --set ${key.text}=VALUE.` : undefined;
    throw invalidValueError(`--set-json ${key.text}`, text, 'JSON', hint);
  }
}

/** The error for an unknown KEY, with a suggestion. */
function unknownKeyError({ steps, text }: ParsedKey): CliError {
  const at = steps.findIndex((_, i) => !findSchema(steps.slice(0, i + 1)));
  const [before, last] = [steps.slice(0, at), steps[at]];
  const suggestion = last?.kind === 'key' ? suggest(last.key, listSchemaKeys(before)) : undefined;
  if (suggestion !== undefined) {
    const suggested = formatKey([...before, { kind: 'key', key: suggestion }, ...steps.slice(at + 1)]);
    return new CliError('usage', `unknown key "${text}"; did you mean "${suggested}"?`);
  }
  return new CliError('usage', `unknown key "${text}"`, {
    hint: `To change a key that only some manifests have, run the command with --set-json ${text}=JSON.`,
  });
}

const invalidValueError = (flag: string, value: string, expected: string, hint?: string) =>
  new CliError('usage', `invalid value ${JSON.stringify(value)} for ${flag}: must be ${expected}`, { hint });
