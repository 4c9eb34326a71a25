/** Parses JSON with the position of every value, and finds problems that JSON.parse accepts. */
import { attempt } from '../errors.ts';
import { limitDepth, MAX_DEPTH } from './json-scan.ts';
import { describeSyntaxError } from './json-syntax-error.ts';
import { type Node, type ParseError, parseTree } from './jsonc.ts';
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
  /** The value; undefined for invalid JSON. Containers that are nested too deep are replaced with 0. */
  value: unknown;
  problems: readonly JsonProblem[];
  /** The position of a value, or of its nearest existing parent. */
  locate(path: JsonPath): Position;
  /** The position of the last key of the path; for an index, of its value. */
  locateKey(path: JsonPath): Position;
}

/** Parses strict JSON, without comments and trailing commas. Never throws. */
export function parseJsonWithPositions(text: string, maxDepth = MAX_DEPTH): JsonWithPositions {
  const sound = parseSoundJson(text, maxDepth);
  if (!sound) return parseLocated(text, maxDepth);
  // Positions take four times as long as the values, and a sound text hardly needs one.
  let located: JsonWithPositions | undefined;
  const locate = () => {
    located ??= parseLocated(text, maxDepth);
    return located;
  };
  return {
    value: sound.json,
    problems: [],
    locate: (path) => locate().locate(path),
    locateKey: (path) => locate().locateKey(path),
  };
}

/** The value of a text that certainly has no problem; undefined if it must be looked at closely. */
function parseSoundJson(text: string, maxDepth: number): { json: unknown } | undefined {
  if (countMatches(text, /[[{]/g) > maxDepth) return undefined;
  const parsed = tryParseJson(text);
  // Of duplicate keys, the value has one.
  return parsed && countKeys(parsed.json) === countMatches(text, /"\s*:/g) ? parsed : undefined;
}

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Object.values(value);
  return values.reduce((sum: number, one) => sum + countKeys(one), Array.isArray(value) ? 0 : values.length);
}

function parseLocated(text: string, maxDepth: number): JsonWithPositions {
  const { shallow, tooDeepAt } = limitDepth(text, maxDepth);
  const errors: ParseError[] = [];
  const tree = parseTree(shallow, collectFirstOnly(errors), {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: false,
  });
  const value = tryParseJson(shallow);
  const toPosition = createPositionLookup(shallow);
  const problems: JsonProblem[] = [];
  if (value === undefined) problems.push({ kind: 'syntax', ...describeSyntaxError(shallow, errors[0]) });
  else if (tree) for (const problem of findDuplicateKeys(tree, toPosition)) problems.push(problem);
  if (tooDeepAt !== undefined) {
    const message = `objects and arrays are nested deeper than ${maxDepth} levels`;
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
const tryParseJson = (text: string) => attempt<{ json: unknown }>(() => ({ json: JSON.parse(text) }));

/** An array for the parser that stores only the first error: invalid text may have one per character. */
const collectFirstOnly = (errors: ParseError[]): ParseError[] =>
  Object.assign([], { push: (error: ParseError) => (errors.length === 0 ? errors.push(error) : 0) });

function findDuplicateKeys(tree: Node, toPosition: (offset: number) => Position): JsonProblem[] {
  const problems: JsonProblem[] = [];
  const path: (string | number)[] = [];
  const visitAt = (step: string | number, node: Node | undefined) => {
    path.push(step);
    if (node?.children) visit(node);
    path.pop();
  };
  const visitProperty = (key: Node, value: Node | undefined, offsets: Map<string, number>) => {
    const first = offsets.get(key.value);
    if (first === undefined) offsets.set(key.value, key.offset);
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
