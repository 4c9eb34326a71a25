/** Describes syntax errors of JSON, with a specific message for common mistakes. */
import { identifyForeignText } from './foreign-text.ts';
import { type ParseError, printParseErrorCode } from './jsonc.ts';
import { positionAt } from './source-position.ts';

const CONFLICT_MARKER = /^(<{7}|={7}|>{7})/m;

/** Whether invalid JSON contains merge conflict markers. */
export const hasConflictMarkers = (text: string): boolean => CONFLICT_MARKER.test(text);

/** Describes the syntax error of a text that is not JSON; `error` is the first one of the parser. */
export function describeSyntaxError(text: string, error: ParseError | undefined) {
  const { offset, length } = error ?? { offset: 0, length: 0 };
  const before = text.slice(0, offset).trimEnd();
  const found = text.slice(offset, offset + length);
  const toProblem = (message: string, at: number) => ({ message, position: positionAt(text, at) });
  const foreign = identifyForeignText(text);
  if (foreign) return toProblem(`this is ${foreign}, not JSON`, 0);
  if (text.trim() === '') return toProblem('the file must contain a JSON object (got an empty file)', 0);
  if (/^(\/\/|\/\*)/.test(found)) return toProblem('comments are not allowed in JSON', offset);
  if (/^[}\]]/.test(found) && before.endsWith(','))
    return toProblem('trailing commas are not allowed in JSON', before.length - 1);
  const marker = text.search(CONFLICT_MARKER);
  if (marker >= 0) return toProblem('the file contains merge conflict markers', marker);
  if (found.startsWith("'")) return toProblem('JSON strings must be in double quotes', offset);
  const reason = (error && REASONS[printParseErrorCode(error.error)]) ?? 'unexpected token';
  return toProblem(`invalid JSON: ${reason}${found ? `, found ${JSON.stringify(found.slice(0, 20))}` : ''}`, offset);
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
