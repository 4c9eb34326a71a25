/** Applies an edit in memory, and checks the changed folders as if they were written. */
import { setImmediate } from 'node:timers/promises';
import { type CheckResult, readContents } from '../check/check-folder.ts';
import { checkFolders } from '../check/check-folders.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { FolderContents } from '../folder/read.ts';
import { changeFolder, encodeManifest, type FolderEdit } from './change-folder.ts';
import type { Change } from './change-manifest.ts';

export interface PreparedEdit {
  edits: readonly FolderEdit[];
  /** The results for folders that would change, or cannot be edited. */
  checked: ReadonlyMap<FolderEdit, CheckResult>;
}

export interface EditOptions {
  /** Whether a formula with this name is edited. */
  filter?: ((name: string) => boolean) | undefined;
  bundleContext: BundleContext;
  /** Called for each folder that was changed in memory, and for each that was checked. */
  onStep(): void;
}

/** Raises usage (2) for a folder that cannot be read. */
export async function prepareEdit(
  folderRefs: readonly Folder[],
  changes: readonly Change[],
  options: EditOptions,
): Promise<PreparedEdit> {
  const edits: FolderEdit[] = [];
  for (const [i, folderRef] of folderRefs.entries()) {
    // Lets signals be handled between folders.
    if (i % 8 === 0) await setImmediate();
    const edit = changeFolder(folderRef, readContents(folderRef), changes, options.filter);
    if (edit) edits.push(edit);
    options.onStep();
  }
  return { edits, checked: await checkResults(edits, options) };
}

async function checkResults(
  edits: readonly FolderEdit[],
  { bundleContext, onStep }: EditOptions,
): Promise<Map<FolderEdit, CheckResult>> {
  const open = edits.filter(({ state }) => state !== 'unchanged' && state !== 'skipped');
  const byPath = new Map(open.map((edit) => [edit.folderRef.path, edit]));
  const checkOptions = {
    bundleContext,
    read: (folderRef: Folder) => withChanges(readContents(folderRef), byPath.get(folderRef.path)),
  };
  const checked = new Map<FolderEdit, CheckResult>();
  for await (const result of checkFolders(
    open.map(({ folderRef }) => folderRef),
    checkOptions,
  )) {
    const edit = open[checked.size] as FolderEdit;
    checked.set(
      edit,
      edit.problem ? { ...result, findings: [...result.findings, edit.problem], body: undefined } : result,
    );
    onStep();
  }
  return checked;
}

/** The contents of a folder after the changes. */
function withChanges(contents: FolderContents, edit: FolderEdit | undefined): FolderContents {
  if (!edit?.manifest) return contents;
  const bytes = encodeManifest(edit.manifest, edit.manifest.after);
  return { ...contents, manifest: { ...contents.manifest, state: 'read', bytes } };
}
