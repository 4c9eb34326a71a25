/** --report junit=FILE: a file that is known to be writable before the work begins, and is written whole after it. */
import { closeSync, constants, lstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { fileRefusal } from '../file-error.ts';
import { realPath } from '../files/paths.ts';
import { tryWriting, writeFileWhole } from '../folder/write.ts';
import type { Host } from '../host.ts';
import { type JunitCase, junitReport } from '../report/junit.ts';

/** Writes the report of a suite of cases. Raises usage (2) where that fails. */
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
  const refuse = (error: unknown) =>
    error instanceof CliError ? error : fileRefusal(`the report ${file} cannot be written`, error);
  const tried = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw refuse(error);
    }
  };
  const write = tried(() => writerTo(resolve(host.cwd(), file), file, host));
  const hide = (text: string) => host.hidden(text);
  return (suite, cases) => tried(() => write(junitReport(suite, cases, hide)));
}

/**
 * A file is replaced whole, behind a link too; what is no file is written into: a pipe that is being read, and a
 * character device such as /dev/null. The streams of this process have names of their own.
 */
function writerTo(path: string, typed: string, host: Host): (text: string) => void {
  const stream = /^\/dev\/(stdout|stderr)$/.exec(path)?.[1];
  if (stream === 'stdout' || stream === 'stderr') return (text) => host[stream].write(text);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats && lstatSync(path, { throwIfNoEntry: false })) throw notWritable(typed, 'a link that leads nowhere');
  if (!stats || stats.isFile()) {
    const place = stats ? realPath(path) : path;
    tryWriting(place);
    return (text) => writeFileWhole(place, text, stats && stats.mode & 0o7777);
  }
  if (!stats.isFIFO() && !stats.isCharacterDevice()) {
    throw notWritable(typed, stats.isDirectory() ? 'a folder' : stats.isSocket() ? 'a socket' : 'a disk');
  }
  return writerInto(path);
}

function writerInto(path: string): (text: string) => void {
  // Not waiting for a reader; kept open, so that one who reads a pipe does not meet its end before the report.
  const early = openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
  return (text) => {
    try {
      writeFileSync(path, text);
    } finally {
      closeSync(early);
    }
  };
}

const notWritable = (typed: string, what: string) =>
  new CliError('usage', `the report ${typed} cannot be written: it is ${what}`, {
    hint: 'name a file in a folder that exists and is yours',
  });
