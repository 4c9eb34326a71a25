/** Checks of values in a test file. Pure. */
import type { JsonPath } from '../../text/json-with-positions.ts';

/** Reports a problem with the value at a path of the file. */
export type ReportProblem = (path: JsonPath, message: string) => void;

/** Reports unknown keys. */
export function rejectUnknownKeys(
  value: object,
  known: readonly string[],
  path: JsonPath,
  where: string,
  report: ReportProblem,
): void {
  for (const key of Object.keys(value))
    if (!known.includes(key))
      report([...path, key], `unknown key ${JSON.stringify(key)} in ${where}; must be one of ${known.join(', ')}`);
}

/** Reports a value that is not of the expected type; returns whether it is. */
export function requireType<T>(
  value: unknown,
  isExpected: (value: unknown) => value is T,
  expected: string,
  path: JsonPath,
  report: ReportProblem,
): value is T {
  if (isExpected(value)) return true;
  report(path, `${path.at(-1)} must be ${expected} (got ${formatShort(value)})`);
  return false;
}

const MAX_SHOWN = 40;

/** A value as JSON, truncated for a message. */
export function formatShort(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

export const isString = (value: unknown): value is string => typeof value === 'string';
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isList = (value: unknown): value is unknown[] => Array.isArray(value);
