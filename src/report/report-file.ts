/** --report junit=FILE: a file that is known to be writable before the work begins, and is written whole after it. */
import { CliError } from '../errors.ts';
import { openOutputFile } from '../files/output-file.ts';
import type { Host } from '../host/host.ts';
import { formatJunitReport, type JunitCase } from './junit.ts';

/** Writes the report of a suite of cases. Raises usage (2) where that fails. */
export type WriteReport = (suite: string, cases: readonly JunitCase[]) => void;

/** Checks the flag and the file's place; `paths` are the formula folders. Raises usage (2). Without the flag there is nothing to write. */
export function openReport(flag: string | undefined, formulaPaths: readonly string[], host: Host): WriteReport {
  if (flag === undefined) return () => undefined;
  const [, typedPath] = /^junit=(.+)$/s.exec(flag) ?? [];
  if (typedPath === undefined) {
    throw new CliError('usage', `--report ${flag} is not known; wanted is junit=FILE`, {
      hint: 'for instance --report junit=report.xml',
    });
  }
  const write = openOutputFile({ label: 'report', typedPath, formulaPaths }, host);
  const redact = (text: string) => host.redact(text);
  return (suite, cases) => write(formatJunitReport(suite, cases, redact));
}
