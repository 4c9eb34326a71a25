/** The result of an edit for each folder, and KEYs that no manifest has. Pure. */
import type { CheckResult } from '../check/check-folder.ts';
import type { CliError } from '../errors.ts';
import { isLikelyTypo } from '../text/did-you-mean.ts';
import type { FolderEdit } from './change-folder.ts';
import type { Change } from './change-manifest.ts';
import { type KeyStep, parseKey } from './parse-key.ts';
import type { PreparedEdit } from './prepare-edit.ts';

export const EDIT_OUTCOMES = ['edited', 'would_edit', 'unchanged', 'skipped', 'invalid'] as const;

export interface EditResult {
  edit: FolderEdit;
  outcome: (typeof EDIT_OUTCOMES)[number];
  checked?: CheckResult | undefined;
  /** Why the folder could not be written. */
  error?: CliError | undefined;
}

/** The results if nothing is written. */
export function toPlannedResults({ edits, checked }: PreparedEdit): EditResult[] {
  return edits.map((edit) => {
    if (edit.state === 'unchanged' || edit.state === 'skipped') return { edit, outcome: edit.state };
    const result = checked.get(edit);
    return { edit, outcome: result?.body && edit.state === 'changed' ? 'would_edit' : 'invalid', checked: result };
  });
}

/** A KEY that no folder has. */
export interface UnappliedKey {
  key: string;
  similar: string | undefined;
  /** Whether it is an element, which --set-json adds if its JSON has a type. */
  isElement: boolean;
}

export function findUnappliedKeys(edits: readonly FolderEdit[], changes: readonly Change[]): UnappliedKey[] {
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
