/** Parses JSON that a user wrote, and warns about numbers that JavaScript cannot represent. */
import { findInexactNumbers } from '../text/inexact-numbers.ts';
import { MAX_VALUE_DEPTH, scanJson } from '../text/json-scan.ts';
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

/** Parses JSON strictly. Never throws, however deep or broken the text is. */
export function parseJsonInput(text: string): JsonInput {
  const [tooDeep] = scanJson(text, MAX_VALUE_DEPTH).tooDeep;
  if (tooDeep) {
    const message = `objects and arrays are nested deeper than ${MAX_VALUE_DEPTH} levels`;
    return { problem: { message, position: positionAt(text, tooDeep[0]) } };
  }
  try {
    const value: unknown = JSON.parse(text);
    const warnings = findInexactNumbers(text).map(({ message, at }) => ({ message, position: positionAt(text, at) }));
    return { value, warnings, locate: (path) => parseJsonWithPositions(text, MAX_VALUE_DEPTH).locate(path) };
  } catch {
    const problem = parseJsonWithPositions(text, MAX_VALUE_DEPTH).problems.find(({ kind }) => kind === 'syntax');
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
