/** Creates problems, by the way in which they are located. */
import type { Manifest } from '../folder/manifest.ts';
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
