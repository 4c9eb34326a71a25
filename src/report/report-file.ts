/** --report junit=FILE: a file that is known to be writable before the work begins, and is written whole after it. */
import { CliError } from '../errors.ts';
import { openOutputFile } from '../files/output-file.ts';
import type { Host } from '../host/host.ts';
import { type JunitCase, junitReport } from './junit.ts';

/** Writes the report of a suite of cases. Raises usage (2) where that fails. */
export type WriteReport = (suite: string, cases: readonly JunitCase[]) => void;

/** Checks the flag and the file's place; `paths` are the formula folders. Raises usage (2). Without the flag there is nothing to write. */
export function reportWriter(flag: string | undefined, paths: readonly string[], host: Host): WriteReport {
  if (flag === undefined) return () => undefined;
  const [, typed] = /^junit=(.+)$/s.exec(flag) ?? [];
  if (typed === undefined) {
    throw new CliError('usage', `--report ${flag} is not known; wanted is junit=FILE`, {
      hint: 'for instance --report junit=report.xml',
    });
  }
  const write = openOutputFile({ what: 'report', typed, paths }, host);
  const hide = (text: string) => host.hidden(text);
  return (suite, cases) => write(junitReport(suite, cases, hide));
}
