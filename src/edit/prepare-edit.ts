/** Applies an edit in memory, and checks the changed folders as if they were written. */
import { setImmediate } from 'node:timers/promises';
import { readContents } from '../check/check-folder.ts';
import { checkFolders } from '../check/check-folders.ts';
import type { BundleContext } from '../code/bundle/bundle.ts';
import type { Folder } from '../folder/find-folders.ts';
import type { FolderContents } from '../folder/read.ts';
import { isLikelyTypo } from '../text/did-you-mean.ts';
import { changeFolder, type EditResult, encodeManifest } from './change-folder.ts';
import type { Change } from './change-manifest.ts';
import { type KeyStep, parseKey } from './parse-key.ts';

export interface EditOptions {
  /** Whether a formula with this name is edited. */
  filter?: ((name: string) => boolean) | undefined;
  bundleContext: BundleContext;
  /** Called for each folder that was changed in memory, and for each that was checked. */
  onStep(): void;
}

/** Raises usage (2) for a folder that cannot be read. */
export async function prepareEdit(
  folders: readonly Folder[],
  changes: readonly Change[],
  { filter, bundleContext, onStep }: EditOptions,
): Promise<EditResult[]> {
  const edits: EditResult[] = [];
  for (const [i, folder] of folders.entries()) {
    // Lets signals be handled between folders.
    if (i % 8 === 0) await setImmediate();
    const edit = changeFolder(folder, readContents(folder), changes, filter);
    if (edit) edits.push(edit);
    onStep();
  }
  const open = edits.filter(({ outcome }) => outcome === 'would_edit' || outcome === 'invalid');
  const byPath = new Map(open.map((edit) => [edit.folder.path, edit]));
  const read = (folder: Folder) => withChanges(readContents(folder), byPath.get(folder.path));
  const unchecked = open.values();
  for await (const checked of checkFolders(
    open.map(({ folder }) => folder),
    { bundleContext, read },
  )) {
    const edit = unchecked.next().value as EditResult;
    const { problem } = edit;
    edit.checked = problem ? { ...checked, findings: [...checked.findings, problem], body: undefined } : checked;
    if (!edit.checked.body) edit.outcome = 'invalid';
    onStep();
  }
  return edits;
}

/** The contents of a folder after the changes. */
function withChanges(contents: FolderContents, edit: EditResult | undefined): FolderContents {
  if (!edit?.manifest) return contents;
  const bytes = encodeManifest(edit.manifest, edit.manifest.after);
  return { ...contents, manifest: { ...contents.manifest, state: 'read', bytes } };
}

/** A KEY that no folder has. */
export interface UnappliedKey {
  key: string;
  similar: string | undefined;
  /** Whether it is an element, which --set-json adds if its JSON has a type. */
  isElement: boolean;
}

export function findUnappliedKeys(edits: readonly EditResult[], changes: readonly Change[]): UnappliedKey[] {
  const known = [...new Set(edits.flatMap(({ keys }) => keys))];
  return changes.flatMap(({ kind, key: { text, steps } }, i) => {
    if (edits.some(({ skipped }) => i in skipped && skipped[i] === undefined)) return [];
    const isElement = kind === 'set' && steps.length === 2 && steps[1]?.kind === 'name';
    return [{ key: text, similar: known.find((key) => isSimilar(steps, key)), isElement }];
  });
}

/** Whether a KEY differs from the steps only by likely typos. */
function isSimilar(steps: readonly KeyStep[], text: string): boolean {
  const key = parseKey(text);
  if ('problem' in key || key.steps.length !== steps.length) return false;
  return steps.every((step, i) => {
    const other = key.steps[i];
    return other?.kind === step.kind && isLikelyTypo(String(Object.values(step)[1]), String(Object.values(other)[1]));
  });
}
