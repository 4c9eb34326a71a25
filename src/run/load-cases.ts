/** All cases of some folders, once every folder and every file of cases is known to be right. */

import type { ValidFolder } from '../check/valid-folder.ts';
import { CliError } from '../errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import type { FolderRef } from '../folder/find-folders.ts';
import { escapeControls } from '../output/escape.ts';
import { type NamedCaseFile, readCaseFiles } from './case-files.ts';
import type { Case } from './cases.ts';
import { type Executable, toExecutable } from './executable.ts';

export interface LoadedCase {
  folder: string;
  file: string;
  example: Case;
  runnable: Executable;
  valid: ValidFolder;
}

/** Raises invalid (3) when a folder or a file of cases is wrong, with all that is wrong with the files. */
export async function loadCases(
  folders: readonly FolderRef[],
  loadFolder: (folderRef: FolderRef) => Promise<ValidFolder>,
  note: (text: string) => void,
): Promise<LoadedCase[]> {
  const loaded: LoadedCase[] = [];
  const problems: CaseProblem[] = [];
  for (const place of folders) {
    const folder = place.typed;
    const valid = await loadFolder(place);
    const runnable = toExecutable(valid.path, valid.body, valid.report.bundle);
    const files = readCaseFiles(valid.path);
    if (files.length === 0) note(escapeControls(`note: ${folder} has no cases; they stand in tests/*.json`));
    problems.push(...files.flatMap((file) => toCaseProblems(folder, file)));
    for (const { file, warnings, cases } of files) {
      for (const { message, position } of warnings)
        note(escapeControls(`warning: ${toDisplayPath(folder, file)}:${position.line}:${position.column}: ${message}`));
      loaded.push(...cases.map((example) => ({ folder, file, example, runnable, valid })));
    }
  }
  if (problems.length === 0) return loaded;
  throw new CliError(
    'invalid',
    problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'),
    { hint: 'no case was run; formulary help files says what a file of cases holds', details: { findings: problems } },
  );
}

type CaseProblem = ReturnType<typeof toCaseProblems>[number];

const toCaseProblems = (folder: string, { file, problems }: NamedCaseFile) =>
  problems.map(({ message, position }) => ({
    file: toDisplayPath(folder, file),
    ...position,
    level: 'error',
    rule: 'case',
    message,
  }));
