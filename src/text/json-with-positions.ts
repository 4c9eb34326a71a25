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
  const { root, duplicates } = indexValues(tree, toPosition);
  const problems: JsonProblem[] = value ? duplicates : [{ kind: 'syntax', ...describeSyntaxError(shallow, errors[0]) }];
  if (tooDeepAt !== undefined) {
    const message = `objects and arrays are nested deeper than ${maxDepth} levels`;
    problems.push({ kind: 'depth', position: positionAt(text, tooDeepAt), message });
  }
  const locate = (path: JsonPath, part: 'key' | 'value') => {
    let at = root;
    for (const step of path) {
      const inner = at.members.get(step);
      if (!inner) return toPosition(at.value);
      at = inner;
    }
    return toPosition(at[part]);
  };
  return {
    value: value?.json,
    problems,
    locate: (path) => locate(path, 'value'),
    locateKey: (path) => locate(path, 'key'),
  };
}

/** Wrapped, because `null` is a JSON value too; undefined if the text is not JSON. */
const tryParseJson = (text: string) => attempt<{ json: unknown }>(() => ({ json: JSON.parse(text) }));

/** An array for the parser that stores only the first error: invalid text may have one per character. */
const collectFirstOnly = (errors: ParseError[]): ParseError[] =>
  Object.assign([], { push: (error: ParseError) => (errors.length === 0 ? errors.push(error) : 0) });

/** The offsets of a value and its key, or the first of several equal ones, and its members. */
interface IndexedValue {
  key: number;
  firstKey: number;
  value: number;
  members: Map<string | number, IndexedValue>;
}

/** Indexes all values by their paths, and reports duplicate keys, of which the last one counts, as in JSON.parse. */
function indexValues(tree: Node | undefined, toPosition: (offset: number) => Position) {
  const duplicates: JsonProblem[] = [];
  const path: (string | number)[] = [];
  const visit = ({ type, offset, children = [] }: Node, key: number, firstKey = key): IndexedValue => {
    const members: IndexedValue['members'] = new Map();
    for (const [i, child] of children.entries()) {
      const [name, value = child] = type === 'object' ? (child.children ?? []) : [];
      const step: string | number = name ? name.value : i;
      path.push(step);
      const first = members.get(step)?.firstKey;
      if (name && first !== undefined)
        duplicates.push(toDuplicateProblem([...path], toPosition(name.offset), toPosition(first)));
      members.set(step, visit(value, (name ?? value).offset, first));
      path.pop();
    }
    return { key, firstKey, value: offset, members };
  };
  return { root: visit(tree ?? { type: 'null', offset: 0, length: 0 }, tree?.offset ?? 0), duplicates };
}

function toDuplicateProblem(path: JsonPath, position: Position, first: Position): JsonProblem {
  const message = `duplicate key ${JSON.stringify(path.at(-1))} (first defined on line ${first.line})`;
  return { kind: 'duplicate-key', path, position, message };
}
