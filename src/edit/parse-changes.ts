/** The changes of the command line: --set, --set-json, --unset, and --script, in the order in which they were passed. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { suggest } from '../text/did-you-mean.ts';
import type { Assignment } from './edit-value.ts';
import { keysIn, readValue, schemaFor } from './manifest-schema.ts';
import { formatKey, type KeyStep, type ParsedKey, parseAssignment, parseKey } from './parse-key.ts';

/** A flag with its value. */
export interface TypedChange {
  flag: '--set' | '--set-json' | '--unset' | '--script';
  value: string;
}

export interface ScriptChange {
  kind: 'script';
  /** Absolute. */
  path: string;
  typed: string;
}

export type Change = Assignment | ScriptChange;

/** Reads the changes. Raises usage (2) for one that no manifest could have, and where there is none. */
export function parseChanges(typed: readonly TypedChange[], host: Pick<Host, 'cwd'>): Change[] {
  if (typed.length === 0)
    throw new CliError('usage', 'no change was specified: pass --set, --set-json, --unset, or --script');
  return typed.map(({ flag, value }): Change => {
    if (flag === '--script') return { kind: 'script', path: scriptPath(value, host), typed: value };
    return flag === '--unset' ? { kind: 'unset', key: readKey(value) } : readAssignment(flag, value);
  });
}

function scriptPath(typed: string, host: Pick<Host, 'cwd'>): string {
  const path = resolve(host.cwd(), typed);
  if (typed !== '' && statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new CliError('usage', `invalid value "${typed}" for --script: must be a file that exists`);
}

function readKey(value: string): ParsedKey {
  const key = parseKey(value);
  if ('problem' in key)
    throw invalidValue('--unset', value, `a KEY, for example configuration[REGION].description (${key.problem})`);
  return key;
}

function readAssignment(flag: '--set' | '--set-json', argument: string): Assignment {
  const read = parseAssignment(argument);
  if ('problem' in read) {
    const example = flag === '--set' ? 'configuration[REGION].type=string' : 'configuration=[]';
    throw invalidValue(
      flag,
      argument,
      `KEY=${flag === '--set' ? 'VALUE' : 'JSON'}, for example ${example} (${read.problem})`,
    );
  }
  const { key, value } = read;
  return { kind: 'set', key, value: flag === '--set' ? typedValue(key, value) : jsonValue(key, value) };
}

function typedValue(key: ParsedKey, text: string): unknown {
  const schema = schemaFor(key.steps);
  if (!schema) throw unknownKey(key);
  const read = readValue(text, schema);
  if ('value' in read) return read.value;
  throw invalidValue(`--set ${key.text}`, text, read.expected);
}

function jsonValue(key: ParsedKey, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const hint = schemaFor(key.steps) ? `To set a string, run the command with --set ${key.text}=VALUE.` : undefined;
    throw invalidValue(`--set-json ${key.text}`, text, 'JSON', hint);
  }
}

/** Names the part of the KEY that the manifest's schema does not have, and the closest one that it has. */
function unknownKey({ steps, text }: ParsedKey): CliError {
  const at = steps.findIndex((_, i) => !schemaFor(steps.slice(0, i + 1)));
  const [before, last] = [steps.slice(0, at), steps[at]];
  const known = keysIn(before);
  const near = last?.kind === 'key' ? suggest(last.key, known) : undefined;
  const meant: KeyStep[] = near === undefined ? [] : [...before, { kind: 'key', key: near }, ...steps.slice(at + 1)];
  if (near !== undefined) return new CliError('usage', `unknown key "${text}"; did you mean "${formatKey(meant)}"?`);
  return new CliError('usage', `unknown key "${text}"`, {
    hint: `To change a key that only some manifests have, run the command with --set-json ${text}=JSON.`,
  });
}

const invalidValue = (flag: string, value: string, expected: string, hint?: string) =>
  new CliError('usage', `invalid value ${JSON.stringify(value)} for ${flag}: must be ${expected}`, { hint });
