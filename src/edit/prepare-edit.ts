/** What an edit would do: the changed texts of all folders, checked as if they were written. Writes nothing. */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FolderReport } from '../check/check-folder.ts';
import { checkFolders } from '../check/check-folders.ts';
import { readContents } from '../check/check-formula.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import { findRealPath } from '../files/paths.ts';
import type { FolderRef } from '../folder/find-folders.ts';
import type { FileRead, FolderContents } from '../folder/read.ts';
import { bytesAfter, changeFolder, type FolderEdit, type NameFilter } from './change-folder.ts';
import type { Change } from './parse-changes.ts';
import type { ScriptRunner } from './run-script.ts';

export interface PreparedEdit {
  edits: readonly FolderEdit[];
  /** The results that are checked: of the folders that would change, and of those that cannot be edited. */
  checked: ReadonlyMap<FolderEdit, FolderReport>;
}

export interface EditOptions {
  filter?: NameFilter | undefined;
  runScript: ScriptRunner;
  surroundings: BundleContext;
  /** Is called for each folder that was changed in memory, and for each that was checked. */
  onStep(): void;
}

/** Changes and checks the folders in memory. Raises usage (2) for a folder that cannot be read, failed (1) for a script. */
export async function prepareEdit(
  places: readonly FolderRef[],
  changes: readonly Change[],
  options: EditOptions,
): Promise<PreparedEdit> {
  const edits: FolderEdit[] = [];
  for (const [i, place] of places.entries()) {
    // Lets signals be handled between folders.
    if (i % 8 === 0) await setImmediate();
    const edit = await changeFolder(place, readContents(place), changes, options);
    if (edit) edits.push(edit);
    options.onStep();
  }
  return { edits, checked: await checkResults(edits, options) };
}

async function checkResults(
  edits: readonly FolderEdit[],
  { surroundings, onStep }: EditOptions,
): Promise<Map<FolderEdit, FolderReport>> {
  const open = edits.filter(({ state }) => state !== 'unchanged' && state !== 'skipped');
  const byPath = new Map(open.map((edit) => [edit.place.path, edit]));
  const judging = {
    bundleContext: { ...surroundings, changed: changedFiles(open) },
    withContent: false,
    read: (place: FolderRef) => withChanges(readContents(place), byPath.get(place.path)),
  };
  const checked = new Map<FolderEdit, FolderReport>();
  for await (const judged of checkFolders(
    open.map(({ place }) => place),
    judging,
  )) {
    const edit = open[checked.size] as FolderEdit;
    checked.set(
      edit,
      edit.problem ? { ...judged, findings: [...judged.findings, edit.problem], isValid: false } : judged,
    );
    onStep();
  }
  return checked;
}

/** The contents of the files that a bundle may contain, by their real paths. */
function changedFiles(edits: readonly FolderEdit[]): ReadonlyMap<string, Buffer> {
  return new Map(
    edits.flatMap(({ place, files }) => {
      const folder = findRealPath(place.path) ?? place.path;
      return files.map((file): [string, Buffer] => [join(folder, file.file), bytesAfter(file)]);
    }),
  );
}

/** The contents of a folder after the changes. */
function withChanges(contents: FolderContents, edit: FolderEdit | undefined): FolderContents {
  const after = new Map(edit?.files.map((file) => [file.file, file]));
  const changed = (read: FileRead): FileRead => {
    const file = after.get(read.file);
    return file ? { state: 'read', file: read.file, bytes: bytesAfter(file) } : read;
  };
  return { ...contents, manifest: changed(contents.manifest), code: changed(contents.code) };
}
