/** The test that a run starts from: its doubles respond to the calls of the code. */
import { readCaseFiles } from '../run/case-files.ts';
import type { Case } from '../run/cases.ts';
import type { Invocation } from '../run/invoke.ts';

/** A test by its file, such as `tests/cards.json`, and its position in it. */
export interface TestRef {
  file: string;
  index: number;
}

/** The test as it is on the disk now; undefined if there is none. */
export const findTest = (folder: string, { file, index }: TestRef): Case | undefined =>
  readCaseFiles(folder)
    .find((found) => found.file === file)
    ?.cases.find(({ path }) => Number(path[0] ?? 0) === index);

/** The part of an invocation that a test decides. */
export const useDoubles = (_test: Case | undefined): Partial<Invocation> => ({});
