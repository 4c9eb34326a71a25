/** Parses JSON with the position of every value, and finds problems that JSON.parse accepts. */

import { identifyForeignText } from './foreign-text.ts';
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from './jsonc.ts';
import { createPositionLookup, type Position, positionAt } from './source-position.ts';

/** The keys and indexes from the root to a value. */
export type JsonPath = readonly (string | number)[];

export interface JsonProblem {
  kind: 'syntax' | 'duplicate-key' | 'depth';
  /** The path of a duplicate key. */
  path?: JsonPath;
  position: Position;
  message: string;
}

export interface JsonWithPositions {
  /** The value; undefined for invalid JSON. Containers deeper than `MAX_DEPTH` are replaced with 0. */
  value: unknown;
  problems: readonly JsonProblem[];
  /** The position of a value, or of its nearest existing parent. */
  locate(path: JsonPath): Position;
  /** The position of the last key of the path; for an index, of its value. */
  locateKey(path: JsonPath): Position;
}

/** The maximum depth of nested objects and arrays. */
const MAX_DEPTH = 64;

/** Parses strict JSON, without comments and trailing commas. Never throws. */
export function parseJsonWithPositions(text: string): JsonWithPositions {
  const { shallow, tooDeepAt } = limitDepth(text);
  const errors: ParseError[] = [];
  const tree = parseTree(shallow, collectFirstOnly(errors), {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: false,
  });
  const value = tryParseJson(shallow);
  const toPosition = createPositionLookup(shallow);
  const problems: JsonProblem[] = [];
  if (value === undefined) problems.push(toSyntaxProblem(shallow, errors));
  else if (tree) for (const problem of findDuplicateKeys(tree, toPosition)) problems.push(problem);
  if (tooDeepAt !== undefined) {
    const message = `objects and arrays are nested deeper than ${MAX_DEPTH} levels`;
    problems.push({ kind: 'depth', position: positionAt(text, tooDeepAt), message });
  }
  const positionOfNode = (node: Node | undefined) => toPosition(node?.offset ?? 0);
  const find = createNodeFinder(tree);
  return {
    value: value === undefined ? undefined : value.json,
    problems,
    locate: (path) => positionOfNode(find(path)),
    locateKey: (path) => positionOfNode(find(path, true)),
  };
}

/** Wrapped, because `null` is a JSON value too; undefined if the text is not JSON. */
function tryParseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** An array for the parser that stores only the first error: invalid text may have one per character. */
const collectFirstOnly = (errors: ParseError[]): ParseError[] =>
  Object.assign([], { push: (error: ParseError) => (errors.length === 0 ? errors.push(error) : 0) });

/** Token kinds of jsonc-parser, whose enum does not exist at run time. */
const OPENING = [1, 3];
const CLOSING = [2, 4];
const END_OF_TEXT = 17;

/** Blanks out containers that are nested too deep for recursive parsers; offsets do not change. */
function limitDepth(text: string): { shallow: string; tooDeepAt: number | undefined } {
  const cuts = findTooDeepRanges(text);
  const parts = cuts.map(([from, to], i) => {
    // Replaced with a value, so that the text is still JSON.
    const blank = text.slice(from + 1, to).replace(/[^\r\n]/g, ' ');
    return `${text.slice(cuts[i - 1]?.[1] ?? 0, from)}0${blank}`;
  });
  return { shallow: parts.join('') + text.slice(cuts.at(-1)?.[1] ?? 0), tooDeepAt: cuts[0]?.[0] };
}

/** The ranges of containers that are one level too deep. */
function findTooDeepRanges(text: string): [from: number, to: number][] {
  // Nearly all texts have fewer containers than that.
  if ((text.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH) return [];
  const scanner = createScanner(text, true);
  const ranges: [from: number, to: number][] = [];
  let depth = 0;
  let from = 0;
  for (let token: number = scanner.scan(); token !== END_OF_TEXT; token = scanner.scan()) {
    if (OPENING.includes(token) && ++depth === MAX_DEPTH + 1) from = scanner.getTokenOffset();
    if (CLOSING.includes(token) && depth-- === MAX_DEPTH + 1) ranges.push([from, scanner.getTokenOffset() + 1]);
  }
  return depth > MAX_DEPTH ? [...ranges, [from, text.length]] : ranges;
}

/** A text may repeat one key many times. */
const MAX_DUPLICATES = 100_000;

function findDuplicateKeys(tree: Node, toPosition: (offset: number) => Position): JsonProblem[] {
  const problems: JsonProblem[] = [];
  let omitted = 0;
  const path: (string | number)[] = [];
  const visitAt = (step: string | number, node: Node | undefined) => {
    path.push(step);
    if (node?.children) visit(node);
    path.pop();
  };
  const visitProperty = (key: Node, value: Node | undefined, offsets: Map<string, number>) => {
    const first = offsets.get(key.value);
    if (first === undefined) offsets.set(key.value, key.offset);
    else if (problems.length === MAX_DUPLICATES) omitted += 1;
    else problems.push(toDuplicateProblem([...path, key.value], toPosition(key.offset), toPosition(first)));
    visitAt(key.value, value);
  };
  const visit = ({ type, children = [] }: Node): void => {
    const offsets = new Map<string, number>();
    for (const [i, child] of children.entries()) {
      const [key, value] = type === 'object' ? (child.children ?? []) : [];
      if (key) visitProperty(key, value, offsets);
      else visitAt(i, child);
    }
  };
  visit(tree);
  const [last] = problems.slice(-1);
  if (last && omitted > 0) problems.push({ ...last, message: `${omitted} more keys are duplicates` });
  return problems;
}

function toDuplicateProblem(path: JsonPath, position: Position, first: Position): JsonProblem {
  const message = `duplicate key ${JSON.stringify(path.at(-1))} (first defined on line ${first.line})`;
  return { kind: 'duplicate-key', path, position, message };
}

/** Returns a function that finds the node at a path, or its nearest existing parent. Indexes each object once. */
function createNodeFinder(root: Node | undefined): (path: JsonPath, wantKey?: boolean) => Node | undefined {
  const propertiesByNode = new Map<Node, Map<unknown, Node>>();
  const findChild = (node: Node, step: string | number) => {
    if (node.type !== 'object') return node.children?.[step as number];
    // The last of duplicate keys takes precedence, as in JSON.parse.
    const properties =
      propertiesByNode.get(node) ??
      new Map(node.children?.map((property) => [property.children?.[0]?.value, property]));
    propertiesByNode.set(node, properties);
    return properties.get(step);
  };
  return (path, wantKey = false) => {
    let node = root;
    for (const [depth, step] of path.entries()) {
      const child = node && findChild(node, step);
      if (!child) return node;
      const isProperty = child.type === 'property';
      node = isProperty ? child.children?.[wantKey && depth === path.length - 1 ? 0 : 1] : child;
    }
    return node;
  };
}

/** The first syntax error, with a specific message for common mistakes. */
function toSyntaxProblem(text: string, errors: readonly ParseError[]): JsonProblem {
  const first = errors[0];
  const { offset, length } = first ?? { offset: 0, length: 0 };
  const before = text.slice(0, offset).trimEnd();
  const found = text.slice(offset, offset + length);
  const toProblem = (message: string, at: number): JsonProblem => ({
    kind: 'syntax',
    message,
    position: positionAt(text, at),
  });
  const foreign = identifyForeignText(text);
  if (foreign) return toProblem(`this is ${foreign}, not JSON`, 0);
  if (text.trim() === '') return toProblem('the file must contain a JSON object (got an empty file)', 0);
  if (/^(\/\/|\/\*)/.test(found)) return toProblem('comments are not allowed in JSON', offset);
  if (/^[}\]]/.test(found) && before.endsWith(','))
    return toProblem('trailing commas are not allowed in JSON', before.length - 1);
  if (/^<{7}|^={7}|^>{7}/m.test(text))
    return toProblem('the file contains merge conflict markers', text.search(/^(<{7}|={7}|>{7})/m));
  if (found.startsWith("'")) return toProblem('JSON strings must be in double quotes', offset);
  return toProblem(
    `invalid JSON: ${(first && REASONS[printParseErrorCode(first.error)]) ?? 'unexpected token'}${found ? `, found ${JSON.stringify(found.slice(0, 20))}` : ''}`,
    offset,
  );
}

const REASONS: Record<string, string> = {
  InvalidSymbol: 'unexpected token (strings must be in double quotes)',
  InvalidNumberFormat: 'invalid number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'missing closing brace }',
  CloseBracketExpected: 'missing closing bracket ]',
  EndOfFileExpected: 'expected the end of the file',
  UnexpectedEndOfString: 'a string is not closed on its line',
  UnexpectedEndOfNumber: 'incomplete number',
  InvalidUnicode: 'invalid \\u escape',
  InvalidEscapeCharacter: 'invalid escape with a backslash',
  InvalidCharacter: 'control character in a string; write it as an escape',
};

/**
 * Replaces the value at a path, which must exist; the rest of the text is unchanged. The new value has the indentation of
 * the text, or is on one line if the text is.
 */
export function replaceValue(text: string, path: JsonPath, value: unknown): string {
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
