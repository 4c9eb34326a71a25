/** The files tests/*.json of a formula folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../files/atomic-write.ts';
import { describeFsError } from '../../files/file-errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { mayBeMisnamed } from '../../folder/find-folders.ts';
import { listTestFiles } from '../../folder/read.ts';
import { decodeUtf8 } from '../../text/decode-utf8.ts';
import { replaceValue } from '../../text/json-layout.ts';
import type { JsonPath } from '../../text/json-with-positions.ts';
import { type Expectation, parseTests, type TestFile } from './parse-tests.ts';

/** A test file, by its name in the folder: `tests/cards.json`. */
export interface NamedTestFile extends TestFile {
  file: string;
}

/** All test files, sorted by name; an unreadable file gets a problem. */
export const readTestFiles = (folder: string): NamedTestFile[] =>
  listTestFiles(folder).map((file) => ({ file, ...readTestFile(join(folder, file), folder) }));

function readTestFile(path: string, folder: string): TestFile {
  const createInvalidFile = (message: string, position = { line: 1, column: 1 }): TestFile => ({
    tests: [],
    problems: [{ message, position }],
    warnings: [],
  });
  try {
    const decoded = decodeUtf8(readRegularFile(path, folder));
    if ('text' in decoded) return parseTests(decoded.text);
    return createInvalidFile(`this is not UTF-8 text: ${decoded.found}`, decoded.position);
  } catch (error) {
    const isMisnamed = mayBeMisnamed(path) && (error as NodeJS.ErrnoException).code === 'ENOENT';
    return createInvalidFile(
      isMisnamed ? 'the name of the file must be UTF-8' : `the file cannot be read: ${describeFsError(error)}`,
    );
  }
}

/** Replaces the expectations in a file byte for byte. Throws the file system's error. */
export function writeExpectations(path: string, changes: readonly { path: JsonPath; expect: Expectation }[]): void {
  const text = readFileSync(path, 'utf8');
  const byteOrderMark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const changed = changes.reduce(
    (current, change) => replaceValue(current, [...change.path, 'expect'], change.expect),
    text.slice(byteOrderMark.length),
  );
  writeFileAtomic(path, byteOrderMark + changed);
}
