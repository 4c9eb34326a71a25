/** --report junit=FILE: checks the file before the work starts, and writes it at the end. */
import { CliError } from '../errors.ts';
import { openOutputFile } from '../files/output-file.ts';
import type { Host } from '../host/host.ts';
import { formatJunitReport, type JunitCase } from './junit.ts';

/** Writes the report. Raises usage (2) if the file cannot be written. */
export type WriteReport = (suite: string, cases: readonly JunitCase[]) => void;

/** Checks the flag and that the file can be written. Without the flag, writing does nothing. Raises usage (2). */
export function openReport(flag: string | undefined, formulaPaths: readonly string[], host: Host): WriteReport {
  if (flag === undefined) return () => undefined;
  const [, typedPath] = /^junit=(.+)$/s.exec(flag) ?? [];
  if (typedPath === undefined) {
    throw new CliError('usage', `invalid value "${flag}" for --report: must be junit=FILE`);
  }
  const write = openOutputFile({ label: 'report', typedPath, formulaPaths }, host);
  const redact = (text: string) => host.redact(text);
  return (suite, cases) => write(formatJunitReport(suite, cases, redact));
}
