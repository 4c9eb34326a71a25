/** Applies an edit in memory, and checks the changed folders as if they were written. */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FolderReport } from '../check/check-folder.ts';
import { checkFolders } from '../check/check-folders.ts';
import { readContents } from '../check/check-formula.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import { findRealPath } from '../files/paths.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { FileRead, FolderContents } from '../folder/read.ts';
import { changeFolder, encodeChanged, type FolderEdit, type NameFilter } from './change-folder.ts';
import type { Change } from './parse-changes.ts';
import type { ScriptRunner } from './run-script.ts';

export interface PreparedEdit {
  edits: readonly FolderEdit[];
  /** The reports on folders that would change, or cannot be edited. */
  checked: ReadonlyMap<FolderEdit, FolderReport>;
}

export interface EditOptions {
  filter?: NameFilter | undefined;
  runScript: ScriptRunner;
  bundleContext: BundleContext;
  /** Called for each folder that was changed in memory, and for each that was checked. */
  onStep(): void;
}

/** Raises usage (2) for a folder that cannot be read, and failed (1) if a script fails. */
export async function prepareEdit(
  folderRefs: readonly Folder[],
  changes: readonly Change[],
  options: EditOptions,
): Promise<PreparedEdit> {
  const edits: FolderEdit[] = [];
  for (const [i, folderRef] of folderRefs.entries()) {
    // Lets signals be handled between folders.
    if (i % 8 === 0) await setImmediate();
    const edit = await changeFolder(folderRef, readContents(folderRef), changes, options);
    if (edit) edits.push(edit);
    options.onStep();
  }
  return { edits, checked: await checkResults(edits, options) };
}

async function checkResults(
  edits: readonly FolderEdit[],
  { bundleContext, onStep }: EditOptions,
): Promise<Map<FolderEdit, FolderReport>> {
  const open = edits.filter(({ state }) => state !== 'unchanged' && state !== 'skipped');
  const byPath = new Map(open.map((edit) => [edit.folderRef.path, edit]));
  const checkOptions = {
    bundleContext: { ...bundleContext, changed: changedFiles(open) },
    withContent: false,
    read: (folderRef: Folder) => withChanges(readContents(folderRef), byPath.get(folderRef.path)),
  };
  const checked = new Map<FolderEdit, FolderReport>();
  for await (const report of checkFolders(
    open.map(({ folderRef }) => folderRef),
    checkOptions,
  )) {
    const edit = open[checked.size] as FolderEdit;
    checked.set(
      edit,
      edit.problem ? { ...report, findings: [...report.findings, edit.problem], isValid: false } : report,
    );
    onStep();
  }
  return checked;
}

/** The contents of the files that a bundle may contain, by their real paths. */
function changedFiles(edits: readonly FolderEdit[]): ReadonlyMap<string, Buffer> {
  return new Map(
    edits.flatMap(({ folderRef, files }) => {
      const folder = findRealPath(folderRef.path) ?? folderRef.path;
      return files.map((file): [string, Buffer] => [join(folder, file.file), encodeChanged(file)]);
    }),
  );
}

/** The contents of a folder after the changes. */
function withChanges(contents: FolderContents, edit: FolderEdit | undefined): FolderContents {
  const after = new Map(edit?.files.map((file) => [file.file, file]));
  const changed = (read: FileRead): FileRead => {
    const file = after.get(read.file);
    return file ? { state: 'read', file: read.file, bytes: encodeChanged(file) } : read;
  };
  return { ...contents, manifest: changed(contents.manifest), code: changed(contents.code) };
}
