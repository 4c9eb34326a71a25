/** JSON with the place of every value: for messages that point at a line, and for what JSON.parse hides. */

import { flawlessJson, parsedJson } from './flawless-json.ts';
import { foreignText } from './foreign-text.ts';
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from './jsonc.ts';
import { type Position, placesIn, positionAt } from './source-position.ts';

/** The keys and indexes that lead from the top to a value. */
export type JsonPath = readonly (string | number)[];

/** What is wrong with the text itself; `path` is set where the fault has one. */
export interface JsonFault {
  kind: 'syntax' | 'duplicate-key' | 'depth';
  /** Of a duplicate key: where it is. */
  path?: JsonPath;
  position: Position;
  message: string;
}

export interface LocatedJson {
  /** The value, or undefined when the text is no JSON. Deeper than `MAX_DEPTH`, containers are empty in it. */
  value: unknown;
  faults: readonly JsonFault[];
  /** Where the value at `path` stands; of a path that is not there, its nearest parent. */
  locate(path: JsonPath): Position;
  /** Where the key stands that the path ends with; for an index, its value. */
  locateKey(path: JsonPath): Position;
}

/** How deep objects and arrays may nest. */
export const MAX_DEPTH = 64;

/** Parses JSON strictly (no comments, no trailing commas). Never throws, however deep or broken the text is. */
export function parseLocatedJson(text: string): LocatedJson {
  const flawless = flawlessJson(text, MAX_DEPTH);
  if (!flawless) return locatedJson(text);
  // The tree takes many times as long as the value, and is wanted only where a rule points at something.
  let located: LocatedJson | undefined;
  const whole = () => {
    located ??= locatedJson(text);
    return located;
  };
  return {
    value: flawless.json,
    faults: [],
    locate: (path) => whole().locate(path),
    locateKey: (path) => whole().locateKey(path),
  };
}

function locatedJson(text: string): LocatedJson {
  const { shallow, tooDeepAt } = cutDepth(text);
  const errors: ParseError[] = [];
  const tree = parseTree(shallow, keepingFirst(errors), {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: false,
  });
  const value = parsedJson(shallow);
  const placeOf = placesIn(shallow);
  const faults: JsonFault[] = [];
  if (value === undefined) faults.push(syntaxFault(shallow, errors));
  else if (tree) for (const fault of limitedFaults(duplicateKeys(tree, placeOf))) faults.push(fault);
  if (tooDeepAt !== undefined) {
    const message = `objects and arrays are nested deeper than ${MAX_DEPTH} levels`;
    faults.push({ kind: 'depth', position: positionAt(text, tooDeepAt), message });
  }
  const at = (node: Node | undefined) => placeOf(node?.offset ?? 0);
  const find = finderIn(tree);
  return {
    value: value === undefined ? undefined : value.json,
    faults,
    locate: (path) => at(find(path)),
    locateKey: (path) => at(find(path, true)),
  };
}

/** A list for the parser that keeps only the first error: broken text may have one for each character. */
const keepingFirst = (errors: ParseError[]): ParseError[] =>
  Object.assign([], { push: (error: ParseError) => (errors.length === 0 ? errors.push(error) : 0) });

/** A text may consist of one key again and again. */
const MAX_DUPLICATES = 100_000;

function limitedFaults(all: Iterable<JsonFault>): JsonFault[] {
  const faults: JsonFault[] = [];
  let omitted = 0;
  for (const fault of all) {
    if (faults.length < MAX_DUPLICATES) faults.push(fault);
    else omitted += 1;
  }
  const [last] = faults.slice(-1);
  if (last && omitted > 0) faults.push({ ...last, message: `${omitted} more keys are duplicates` });
  return faults;
}

/** jsonc-parser's token kinds; its enum exists for type checkers only. */
const OPENING = [1, 3];
const CLOSING = [2, 4];
const END_OF_TEXT = 17;

/** Blanks out what is nested too deep, so that recursive parsers survive it and all offsets stay true. */
function cutDepth(text: string): { shallow: string; tooDeepAt: number | undefined } {
  const cuts = tooDeep(text);
  const parts = cuts.map(([from, to], i) => {
    // A value takes the place, so that the rest is still JSON.
    const blank = text.slice(from + 1, to).replace(/[^\r\n]/g, ' ');
    return `${text.slice(cuts[i - 1]?.[1] ?? 0, from)}0${blank}`;
  });
  return { shallow: parts.join('') + text.slice(cuts.at(-1)?.[1] ?? 0), tooDeepAt: cuts[0]?.[0] };
}

/** From where to where containers stand that are nested one level too deep. */
function tooDeep(text: string): [from: number, to: number][] {
  // Hardly any text has so many of them at all.
  if ((text.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH) return [];
  const scanner = createScanner(text, true);
  const found: [from: number, to: number][] = [];
  let depth = 0;
  let from = 0;
  for (let token: number = scanner.scan(); token !== END_OF_TEXT; token = scanner.scan()) {
    if (OPENING.includes(token) && ++depth === MAX_DEPTH + 1) from = scanner.getTokenOffset();
    if (CLOSING.includes(token) && depth-- === MAX_DEPTH + 1) found.push([from, scanner.getTokenOffset() + 1]);
  }
  return depth > MAX_DEPTH ? [...found, [from, text.length]] : found;
}

function* duplicateKeys(node: Node, placeOf: (offset: number) => Position, path: JsonPath = []): Generator<JsonFault> {
  const seen = new Map<string, number>();
  for (const [i, child] of (node.children ?? []).entries()) {
    const key = node.type === 'object' ? child.children?.[0] : undefined;
    if (key) {
      const first = seen.get(key.value as string);
      if (first === undefined) seen.set(key.value as string, key.offset);
      else {
        const message = `the key ${JSON.stringify(key.value)} stands twice in one object, first in line ${placeOf(first).line}; only one of them can count`;
        yield { kind: 'duplicate-key', path: [...path, key.value as string], position: placeOf(key.offset), message };
      }
    }
    const step = node.type === 'array' ? [i] : key ? [key.value as string] : [];
    yield* duplicateKeys(child, placeOf, [...path, ...step]);
  }
}

/** Finds the node at a path; of a path that is not there, its nearest parent. Looks through each object only once. */
function finderIn(root: Node | undefined): (path: JsonPath, wantKey?: boolean) => Node | undefined {
  const known = new Map<Node, Map<unknown, Node>>();
  const childOf = (node: Node, step: string | number) => {
    if (node.type !== 'object') return node.children?.[step as number];
    // The last of two equal keys is the one whose value counts.
    const properties =
      known.get(node) ?? new Map(node.children?.map((property) => [property.children?.[0]?.value, property]));
    known.set(node, properties);
    return properties.get(step);
  };
  return (path, wantKey = false) => {
    let node = root;
    for (const [depth, step] of path.entries()) {
      const child = node && childOf(node, step);
      if (!child) return node;
      const isProperty = child.type === 'property';
      node = isProperty ? child.children?.[wantKey && depth === path.length - 1 ? 0 : 1] : child;
    }
    return node;
  };
}

/** In the words of a reader: what stands at the first place where the text stops being JSON. */
function syntaxFault(text: string, errors: readonly ParseError[]): JsonFault {
  const first = errors[0];
  const { offset, length } = first ?? { offset: 0, length: 0 };
  const before = text.slice(0, offset).trimEnd();
  const found = text.slice(offset, offset + length);
  const fault = (message: string, at: number): JsonFault => ({
    kind: 'syntax',
    message,
    position: positionAt(text, at),
  });
  const foreign = foreignText(text);
  if (foreign) return fault(`this is ${foreign}, not JSON`, 0);
  if (text.trim() === '') return fault('the file is empty; wanted is a JSON object', 0);
  if (/^(\/\/|\/\*)/.test(found)) return fault('comments are not allowed in JSON', offset);
  if (/^[}\]]/.test(found) && before.endsWith(','))
    return fault('there is a trailing comma here, which JSON does not allow', before.length - 1);
  if (/^<{7}|^={7}|^>{7}/m.test(text))
    return fault('there are conflict markers of a merge in the file', text.search(/^(<{7}|={7}|>{7})/m));
  if (found.startsWith("'")) return fault('JSON texts stand in double quotes', offset);
  return fault(
    `this is not JSON: ${(first && REASONS[printParseErrorCode(first.error)]) ?? 'not expected here'}${found ? `, found ${JSON.stringify(found.slice(0, 20))}` : ''}`,
    offset,
  );
}

const REASONS: Record<string, string> = {
  InvalidSymbol: 'an unknown word (texts stand in double quotes)',
  InvalidNumberFormat: 'a number is not well formed',
  PropertyNameExpected: 'a key in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace } is missing',
  CloseBracketExpected: 'a closing bracket ] is missing',
  EndOfFileExpected: 'the JSON value ended before this',
  UnexpectedEndOfString: 'a text is not closed with a double quote in its line',
  UnexpectedEndOfNumber: 'a number is cut off',
  InvalidUnicode: 'a \\u escape is not well formed',
  InvalidEscapeCharacter: 'an escape with a backslash is not one that JSON knows',
  InvalidCharacter: 'a control character stands in a text; write it as an escape',
};

/**
 * The text with the value at a path replaced; all around it stays as it is. The new value is indented as the text is, and
 * in one line where the text is. The path must exist.
 */
export function withValue(text: string, path: JsonPath, value: unknown): string {
  const node = findNodeAtLocation(parseTree(text) as Node, [...path]);
  if (!node) throw new Error(`no value at ${path.join('.')}`);
  const { offset, length } = node;
  const lineStart = text.lastIndexOf('\n', offset) + 1;
  const [lineIndent = ''] = /^[ \t]*/.exec(text.slice(lineStart)) ?? [];
  const [, indent] = /^([ \t]+)\S/m.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const isOneLine = !text.trim().includes('\n');
  const written = isOneLine ? JSON.stringify(value) : JSON.stringify(value, null, indent ?? '  ');
  const replacement = written.replaceAll('\n', `${eol}${lineIndent}`);
  return text.slice(0, offset) + replacement + text.slice(offset + length);
}
