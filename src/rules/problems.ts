/** Creates problems, by the way in which they are located. */
import type { Manifest } from '../folder/manifest.ts';
import type { FileRead, FolderContents } from '../folder/read.ts';
import { codePositionAt } from '../text/source-position.ts';
import type { Problem, Subject } from './rule.ts';

type Details = Pick<Problem, 'fix' | 'level'>;

/** A problem of a complete file. */
export const createFileProblem = (file: string, message: string, details: Details = {}): Problem => ({
  file,
  position: { line: 1, column: 1 },
  message,
  ...details,
});

/** A problem at the value of a path in manifest.json. */
export const createManifestProblem = (
  manifest: Manifest,
  path: readonly (string | number)[],
  message: string,
  details: Details = {},
): Problem => ({ file: 'manifest.json', position: manifest.locate(path), message, ...details });

/** A problem at an offset of the code. */
export const createCodeProblem = (
  { file, text }: NonNullable<Subject['code']>,
  offset: number,
  message: string,
  details: Details = {},
): Problem => ({ file, position: codePositionAt(text, offset), message, ...details });

/** The problem of a required file that could not be read; `names` are those that it can have. */
export function createMissingProblem(
  read: Exclude<FileRead, { state: 'read' }>,
  names: string,
  { folder, entries }: FolderContents,
  fix?: string,
): Problem {
  if (read.state === 'not-regular')
    return createFileProblem(read.file, `${read.file} must be a regular file (got ${read.found})`);
  if (read.state === 'unreadable') return createFileProblem(read.file, `could not read ${read.file}: ${read.reason}`);
  const found = entries.slice(0, 8).map(({ name }) => name);
  const message = `no ${names} in ${folder} (found: ${found.join(', ') || 'nothing'})`;
  return createFileProblem(read.file, message, fix === undefined ? {} : { fix });
}
