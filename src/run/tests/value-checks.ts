/** Checks that all parts of a test file share. Pure. */
import type { JsonPath } from '../../text/json-with-positions.ts';

/** Reports a problem of the value at a path of the file. */
export type ReportProblem = (path: JsonPath, message: string) => void;

/** Reports each key that is not known. */
export function refuseUnknown(
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

/** Reports a value of another type; returns whether the type is right. */
export function mustBe<T>(
  value: unknown,
  isExpected: (value: unknown) => value is T,
  expected: string,
  path: JsonPath,
  report: ReportProblem,
): value is T {
  if (isExpected(value)) return true;
  report(path, `${path.at(-1)} must be ${expected} (got ${shown(value)})`);
  return false;
}

const LONGEST_SHOWN = 40;

/** A value in a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

export const isString = (value: unknown): value is string => typeof value === 'string';
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isList = (value: unknown): value is unknown[] => Array.isArray(value);
