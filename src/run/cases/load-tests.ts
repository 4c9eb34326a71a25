/** Loads the tests of formula folders. */
import type { LoadedFolder } from '../../check/valid-folder.ts';
import { CliError } from '../../errors.ts';
import { toDisplayPath } from '../../files/paths.ts';
import type { Folder } from '../../folder/find-folders.ts';
import { escapeControls } from '../../output/escape.ts';
import { type Executable, toExecutable } from '../executable.ts';
import type { Inspection } from '../invoke.ts';
import type { FormulaTest } from './parse-tests.ts';
import { type NamedTestFile, readTestFiles } from './test-files.ts';

/** A valid folder with its tests. */
export interface TestedFolder {
  folder: string;
  executable: Executable;
  validFolder: LoadedFolder;
  tests: readonly { file: string; test: FormulaTest }[];
}

export interface LoadedTest extends Omit<TestedFolder, 'tests'> {
  file: string;
  test: FormulaTest;
}

type Finding = LoadedFolder['result']['findings'][number];

/** A folder with errors, or with errors in its test files; none of its tests is run. */
export interface InvalidFolder {
  outcome: 'invalid';
  folder: string;
  findings: readonly Finding[];
}

export interface LoadedTests {
  /** In the order of the folders. */
  items: readonly (LoadedTest | InvalidFolder)[];
  /** The number of tests before selecting by name. */
  found: number;
}

export interface TestLoader {
  /** Checks a folder and shows its findings. Raises invalid (3). */
  loadFolder(folderRef: Folder): Promise<LoadedFolder>;
  note(text: string): void;
}

/**
 * Reads and checks the folders and their tests; an invalid folder does not stop the others. `name` selects tests whose
 * names contain it, case-insensitively.
 */
export async function loadTests(
  folderRefs: readonly Folder[],
  loader: TestLoader,
  name: string | undefined,
): Promise<LoadedTests> {
  const items: (LoadedTest | InvalidFolder)[] = [];
  let found = 0;
  for (const folderRef of folderRefs) {
    const loaded = await loadFolderTests(folderRef, loader);
    if ('outcome' in loaded) items.push(loaded);
    else {
      const { tests, ...rest } = loaded;
      found += tests.length;
      if (tests.length === 0) loader.note(escapeControls(`note: ${rest.folder} has no tests (tests/*.json)`));
      items.push(...selectTests(tests, name).map((one) => ({ ...rest, ...one })));
    }
  }
  return { items, found };
}

/** The tests whose names contain a text, case-insensitively. */
export const selectTests = (tests: TestedFolder['tests'], text = '') =>
  tests.filter(({ test }) => test.name.toLowerCase().includes(text.toLowerCase()));

/** Reads and checks a folder and its tests, and prints what is wrong with them. */
export async function loadFolderTests(folderRef: Folder, loader: TestLoader): Promise<TestedFolder | InvalidFolder> {
  const { note } = loader;
  const folder = folderRef.displayPath;
  const validFolder = await loadValidFolder(folderRef, loader);
  if ('outcome' in validFolder) return validFolder;
  const files = readTestFiles(validFolder.path);
  const findings = files.flatMap(toTestFindings);
  if (findings.length > 0) {
    for (const { file, line, column, message } of findings)
      note(escapeControls(`${toDisplayPath(folder, file)}:${line}:${column} error: ${message}`));
    return { outcome: 'invalid', folder, findings };
  }
  for (const { file, warnings } of files)
    for (const { message, position } of warnings)
      note(escapeControls(`warning: ${toDisplayPath(folder, file)}:${position.line}:${position.column}: ${message}`));
  const executable = toExecutable(validFolder.path, validFolder.body, validFolder.result.bundle);
  const tests = files.flatMap(({ file, tests }) => tests.map((test) => ({ file, test })));
  return { folder, executable, validFolder, tests };
}

async function loadValidFolder(folderRef: Folder, { loadFolder }: TestLoader): Promise<LoadedFolder | InvalidFolder> {
  try {
    return await loadFolder(folderRef);
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'invalid') throw error;
    const { findings = [] } = (error.details ?? {}) as Partial<InvalidFolder>;
    return { outcome: 'invalid', folder: folderRef.displayPath, findings };
  }
}

const toTestFindings = ({ file, problems }: NamedTestFile): Finding[] =>
  problems.map(({ message, position }) => ({ file, ...position, level: 'error', rule: 'case', message }));

/** The flags that select folders and tests. */
export interface TestSelection {
  testName?: string | undefined;
  exclude?: readonly string[] | undefined;
  pathsFrom?: string | undefined;
}

/** Raises failed (1) if -t matches no test, or if there are no tests and all folders were selected. */
export function requireTests({ items, found }: LoadedTests, { testName: name, exclude, pathsFrom }: TestSelection) {
  if (items.length > 0) return;
  if (name === undefined && (exclude ?? pathsFrom) !== undefined) return;
  if (name === undefined || found === 0)
    throw new CliError('failed', 'no tests found', {
      hint: 'Write a test in tests/*.json of the formula folder, or pass --pass-with-no-tests.',
    });
  const tests = `${found} ${found === 1 ? 'test' : 'tests'}`;
  throw new CliError('failed', `no test has a name that contains ${JSON.stringify(name)} (${tests} found)`);
}

/** Raises usage (2): a debugger can attach to one process. */
export function requireOneToInspect({ inspect }: { inspect?: Inspection | undefined }, { items }: LoadedTests): void {
  if (!inspect || items.length < 2) return;
  throw new CliError('usage', `--inspect requires a single test (${items.length} selected)`, {
    hint: 'Select one with --test-name TEXT.',
  });
}
