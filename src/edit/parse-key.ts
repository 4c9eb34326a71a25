/** Parses the KEY of `formula edit`: `description`, `configuration[REGION].type`, `request_parameters[0].optional`. Pure. */
import { attempt } from '../errors.ts';

/** `key`: a key of an object; `index`: an element by its index; `name`: an element by its name, or a quoted key. */
export type KeyStep = { kind: 'key'; key: string } | { kind: 'index'; index: number } | { kind: 'name'; name: string };

export interface ParsedKey {
  steps: readonly KeyStep[];
  /** As on the command line. */
  text: string;
}

/** Why an argument is not a KEY, for a usage error. */
export interface KeyProblem {
  problem: string;
}

const KEY = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;
const INDEX = /\[(\d{1,9})\]/y;
const QUOTED = /\[("(?:[^"\\]|\\.)*")\]/suy;
const NAME = /\[([^\]["][^\]]*)\]/suy;

/** Parses an argument that is a KEY. */
export function parseKey(argument: string): ParsedKey | KeyProblem {
  const read = readKey(argument);
  if ('problem' in read || read.text.length === argument.length) return read;
  return { problem: describeUnexpected(argument, read.text.length) };
}

/** Parses `KEY=VALUE`. A `=` in a name does not end the KEY. */
export function parseAssignment(argument: string): { key: ParsedKey; value: string } | KeyProblem {
  const key = readKey(argument);
  if ('problem' in key) return key;
  const at = key.text.length;
  if (argument[at] === '=') return { key, value: argument.slice(at + 1) };
  return { problem: at === argument.length ? 'has no "="' : describeUnexpected(argument, at) };
}

/** Parses the longest KEY at the start of an argument. */
function readKey(argument: string): ParsedKey | KeyProblem {
  const steps: KeyStep[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(argument) ?? undefined;
    if (found) at = pattern.lastIndex;
    return found;
  };
  for (;;) {
    const bracket = readBracket(match);
    if (bracket) {
      if ('problem' in bracket) return bracket;
      steps.push(bracket);
      continue;
    }
    if (steps.length > 0 && argument[at] !== '.') break;
    if (steps.length > 0) at += 1;
    const key = match(KEY)?.[0];
    if (key === undefined) return { problem: describeUnexpected(argument, at) };
    steps.push({ kind: 'key', key });
  }
  return { steps, text: argument.slice(0, at) };
}

function readBracket(match: (pattern: RegExp) => RegExpExecArray | undefined): KeyStep | KeyProblem | undefined {
  const index = match(INDEX)?.[1];
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  const quoted = match(QUOTED)?.[1];
  if (quoted !== undefined) {
    const name = attempt((): string => JSON.parse(quoted));
    return name === undefined ? { problem: `${quoted} is not a JSON string` } : { kind: 'name', name };
  }
  const name = match(NAME)?.[1];
  return name === undefined ? undefined : { kind: 'name', name };
}

const describeUnexpected = (argument: string, at: number) =>
  at >= argument.length ? 'it ends too early' : `unexpected ${JSON.stringify(argument.slice(at, at + 20))}`;

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const PLAIN_NAME = /^(?!\d+$)[^\]["][^\]]*$/su;

/** The reverse of `parseKey`; names are quoted only if necessary. */
export function formatKey(steps: readonly KeyStep[]): string {
  const texts = steps.map((step, i) => {
    if (step.kind === 'index') return `[${step.index}]`;
    if (step.kind === 'name') return PLAIN_NAME.test(step.name) ? `[${step.name}]` : `[${JSON.stringify(step.name)}]`;
    return PLAIN_KEY.test(step.key) ? `${i === 0 ? '' : '.'}${step.key}` : `[${JSON.stringify(step.key)}]`;
  });
  return texts.join('');
}
