/** All cases of some folders, once every folder and every file of cases is known to be right. */

import type { ValidFolder } from '../check/valid-folder.ts';
import { CliError } from '../errors.ts';
import { displayPath } from '../files/paths.ts';
import type { Place } from '../folder/find-folders.ts';
import { visible } from '../output/escape.ts';
import { type NamedCaseFile, readCaseFiles } from './case-files.ts';
import type { Case } from './cases.ts';
import { type Runnable, runnableOf } from './executable.ts';

export interface PreparedCase {
  folder: string;
  file: string;
  example: Case;
  runnable: Runnable;
  valid: ValidFolder;
}

/** Raises invalid (3) when a folder or a file of cases is wrong, with all that is wrong with the files. */
export async function preparedCases(
  places: readonly Place[],
  loadFolder: (place: Place) => Promise<ValidFolder>,
  note: (text: string) => void,
): Promise<PreparedCase[]> {
  const prepared: PreparedCase[] = [];
  const problems: Problem[] = [];
  for (const place of places) {
    const folder = place.typed;
    const valid = await loadFolder(place);
    const runnable = runnableOf(valid.path, valid.body, valid.checked.bundle);
    const files = readCaseFiles(valid.path);
    if (files.length === 0) note(visible(`note: ${folder} has no cases; they stand in tests/*.json`));
    problems.push(...files.flatMap((file) => problemsOf(folder, file)));
    for (const { file, remarks, cases } of files) {
      for (const { message, position } of remarks)
        note(visible(`warning: ${displayPath(folder, file)}:${position.line}:${position.column}: ${message}`));
      prepared.push(...cases.map((example) => ({ folder, file, example, runnable, valid })));
    }
  }
  if (problems.length === 0) return prepared;
  throw new CliError(
    'invalid',
    problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'),
    { hint: 'no case was run; formulary help files says what a file of cases holds', details: { findings: problems } },
  );
}

type Problem = ReturnType<typeof problemsOf>[number];

const problemsOf = (folder: string, { file, faults }: NamedCaseFile) =>
  faults.map(({ message, position }) => ({
    file: displayPath(folder, file),
    ...position,
    level: 'error',
    rule: 'case',
    message,
  }));
