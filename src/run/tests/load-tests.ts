/** The tests of some folders: those that are to be run, and the folders that are invalid. */
import type { ValidFolder } from '../../check/valid-folder.ts';
import { CliError } from '../../errors.ts';
import { toDisplayPath } from '../../files/paths.ts';
import type { FolderRef } from '../../folder/find-folders.ts';
import { escapeControls } from '../../output/escape.ts';
import { type Executable, toExecutable } from '../executable.ts';
import type { Case } from './parse-tests.ts';
import { type NamedCaseFile, readCaseFiles } from './test-files.ts';

export interface LoadedCase {
  folder: string;
  file: string;
  example: Case;
  runnable: Executable;
  valid: ValidFolder;
}

/** A folder none of whose tests is run: it has errors, or its test files have. */
export interface InvalidFolder {
  outcome: 'invalid';
  folder: string;
  findings: readonly TestFinding[];
}

interface TestFinding {
  file: string;
  line: number;
  column: number;
  level: string;
  rule: string;
  message: string;
}

export interface LoadedCases {
  /** In the order of the folders. */
  items: readonly (LoadedCase | InvalidFolder)[];
  /** The number of tests of any name. */
  found: number;
}

export interface CaseLoader {
  /** Checks a folder and shows its findings. Raises invalid (3). */
  loadFolder(folderRef: FolderRef): Promise<ValidFolder>;
  note(text: string): void;
}

/**
 * Reads and checks the folders and their tests; an invalid folder does not stop the others. `name` selects tests whose
 * names contain it, case-insensitively.
 */
export async function loadCases(
  folderRefs: readonly FolderRef[],
  loader: CaseLoader,
  name: string | undefined,
): Promise<LoadedCases> {
  const items: (LoadedCase | InvalidFolder)[] = [];
  let found = 0;
  for (const folderRef of folderRefs) {
    const loaded = await loadTests(folderRef, loader);
    if (!Array.isArray(loaded)) items.push(loaded);
    else {
      found += loaded.length;
      items.push(...loaded.filter(({ example }) => includesName(example.name, name)));
    }
  }
  return { items, found };
}

const includesName = (name: string, part = ''): boolean => name.toLowerCase().includes(part.toLowerCase());

async function loadTests(folderRef: FolderRef, loader: CaseLoader): Promise<LoadedCase[] | InvalidFolder> {
  const { note } = loader;
  const folder = folderRef.typed;
  const valid = await loadValidFolder(folderRef, loader);
  if ('outcome' in valid) return valid;
  const files = readCaseFiles(valid.path);
  if (files.length === 0) note(escapeControls(`note: ${folder} has no tests (tests/*.json)`));
  const findings = files.flatMap(toTestFindings);
  if (findings.length > 0) {
    for (const { file, line, column, message } of findings)
      note(escapeControls(`${toDisplayPath(folder, file)}:${line}:${column} error: ${message}`));
    return { outcome: 'invalid', folder, findings };
  }
  for (const { file, warnings } of files)
    for (const { message, position } of warnings)
      note(escapeControls(`warning: ${toDisplayPath(folder, file)}:${position.line}:${position.column}: ${message}`));
  const runnable = toExecutable(valid.path, valid.body, valid.report.bundle);
  return files.flatMap(({ file, cases }) => cases.map((example) => ({ folder, file, example, runnable, valid })));
}

async function loadValidFolder(folderRef: FolderRef, { loadFolder }: CaseLoader): Promise<ValidFolder | InvalidFolder> {
  try {
    return await loadFolder(folderRef);
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'invalid') throw error;
    const { findings = [] } = (error.details ?? {}) as Partial<InvalidFolder>;
    return { outcome: 'invalid', folder: folderRef.typed, findings };
  }
}

const toTestFindings = ({ file, problems }: NamedCaseFile): TestFinding[] =>
  problems.map(({ message, position }) => ({ file, ...position, level: 'error', rule: 'case', message }));
