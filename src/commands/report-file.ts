/** --report junit=FILE: a file that is known to be writable before the work begins, and is written whole after it. */
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { canWriteFile, writeFileWhole } from '../folder/write.ts';
import type { Host } from '../host.ts';
import { type JunitCase, junitReport } from '../report/junit.ts';

/** Writes the report of a suite of cases. */
export type WriteReport = (suite: string, cases: readonly JunitCase[]) => void;

/** Checks the flag and the file's place. Raises usage (2). Without the flag there is nothing to write. */
export function reportWriter(flag: string | undefined, host: Host): WriteReport {
  if (flag === undefined) return () => undefined;
  const [, file] = /^junit=(.+)$/s.exec(flag) ?? [];
  if (file === undefined) {
    throw new CliError('usage', `--report ${flag} is not known; wanted is junit=FILE`, {
      hint: 'for instance --report junit=report.xml',
    });
  }
  const path = resolve(host.cwd(), file);
  const reason = canWriteFile(path);
  if (reason)
    throw new CliError('usage', `the report ${file} cannot be written (${reason})`, {
      hint: 'name a file in a folder that exists and is yours',
    });
  return (suite, cases) => writeFileWhole(path, junitReport(suite, cases));
}
