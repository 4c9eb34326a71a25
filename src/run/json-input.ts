/** Parses JSON that a user wrote, and warns about numbers that JavaScript cannot represent. */
import { type JsonPath, parseJsonWithPositions } from '../text/json-with-positions.ts';
import { type Position, positionAt } from '../text/source-position.ts';

/** A value and warnings about its text, or why it could not be parsed. */
export type JsonInput =
  | { value: unknown; warnings: readonly InputProblem[]; locate(path: JsonPath): Position }
  | { problem: InputProblem };

export interface InputProblem {
  message: string;
  position: Position;
}

/** Deeper values could not be serialized as JSON. */
const MAX_DEPTH = 1000;

/** Parses JSON strictly. Never throws, however deep or broken the text is. */
export function parseJsonInput(text: string): JsonInput {
  const { depth, tooDeepAt, inexact } = scan(text);
  if (tooDeepAt !== undefined && depth > MAX_DEPTH) {
    const message = `objects and arrays are nested deeper than ${MAX_DEPTH} levels`;
    return { problem: { message, position: positionAt(text, tooDeepAt) } };
  }
  try {
    const value: unknown = JSON.parse(text);
    const warnings = inexact.map(({ literal, at }) => ({
      message: `${literal} cannot be represented exactly as a JavaScript number; the code gets ${Number(literal)}`,
      position: positionAt(text, at),
    }));
    return { value, warnings, locate: (path) => parseJsonWithPositions(text).locate(path) };
  } catch {
    const problem = parseJsonWithPositions(text).problems.find(({ kind }) => kind === 'syntax');
    const { message, position } = problem ?? { message: 'invalid JSON', position: { line: 1, column: 1 } };
    return {
      problem: {
        message: message.replace(
          'the file must contain a JSON object (got an empty file)',
          'must be JSON (got empty text)',
        ),
        position,
      },
    };
  }
}

interface ScanResult {
  depth: number;
  tooDeepAt: number | undefined;
  inexact: { literal: string; at: number }[];
}

const MAX_WARNINGS = 5;

/** Finds the nesting depth and the numbers that a double cannot represent, in one pass without recursion. */
function scan(text: string): ScanResult {
  const found: ScanResult = { depth: 0, tooDeepAt: undefined, inexact: [] };
  const token = /"|[[{]|[\]}]|-?\d[\d.eE+-]*/g;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [literal] = match;
    if (literal === '"') token.lastIndex = findStringEnd(text, match.index);
    else if (literal === '{' || literal === '[') {
      found.depth = Math.max(found.depth, ++depth);
      if (depth === MAX_DEPTH + 1) found.tooDeepAt ??= match.index;
    } else if (literal === '}' || literal === ']') depth--;
    else if (found.inexact.length < MAX_WARNINGS && isInexact(literal))
      found.inexact.push({ literal, at: match.index });
  }
  return found;
}

function findStringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function isInexact(literal: string): boolean {
  const value = Number(literal);
  if (/^-?\d+$/.test(literal))
    return !Number.isFinite(value) || (literal.length > 15 && BigInt(literal) !== BigInt(value));
  return value === Infinity || value === -Infinity;
}
