/** The steps of a push, and what became of them. */
import type { CheckedFolder } from '../../check/check-tree.ts';
import type { CliError } from '../../errors.ts';
import type { Folder } from '../../folder/find-folders.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import type { StepOutcome } from '../outcome.ts';
import type { BreakingChange } from './breaking-changes.ts';

interface StepFacts {
  /** For a deletion, the folder of the lock entry. */
  folder: Folder;
  name: string;
  body?: FormulaBody | undefined;
  remote?: Formula | undefined;
  /** The fields that an update changes. */
  fields: readonly (keyof FormulaBody)[];
  /** The remote fields that the folder does not set. */
  preserved?: readonly ('icon' | 'description')[];
  /** Found by its name; will be linked. */
  adopted?: boolean;
  renamedFrom?: string;
  /** The folder of the lock entry, if the folder was moved. */
  movedFrom?: Folder;
  /** The remote version is not known to be an earlier version of the folder. */
  overwrites?: boolean;
  /** The changes of an update that stop existing reactors or callers from working. */
  breaking?: readonly BreakingChange[];
  /** The id of the lock entry, if it no longer exists. */
  missingId?: string;
  /** The reason of a conflict. */
  reason?: string;
  /** The commands that resolve a conflict. */
  hint?: string | undefined;
}

/** One decision of a plan. */
export type Step = StepFacts &
  (
    | { action: 'create'; body: FormulaBody }
    | { action: 'update' | 'keep'; body: FormulaBody; remote: Formula }
    | { action: 'delete'; remote: Formula }
    | { action: 'conflict' }
  );

/** A private formula on the service that matches no folder, for diff --unmanaged. */
export type UnmanagedStep = Omit<StepFacts, 'folder'> & { action: 'unmanaged'; folder?: undefined; remote: Formula };

/** Whether a step changes a formula, or the lock file. */
export const isChange = ({ action, movedFrom }: Step | UnmanagedStep): boolean =>
  action !== 'keep' || movedFrom !== undefined;

/** The steps that delete a formula. */
export const listDeletions = (steps: readonly Step[]): Extract<Step, { action: 'delete' }>[] =>
  steps.filter((step) => step.action === 'delete');

/** What became of a step, or of a folder for which nothing was planned. */
export interface StepResult {
  folder: Folder;
  /** The current id of the formula. */
  id?: string | undefined;
  name: string | null;
  outcome: StepOutcome;
  step?: Step | undefined;
  findings?: CheckedFolder['findings'] | undefined;
  error?: CliError | undefined;
  durationMs?: number;
  /** What is worth telling of a write that succeeded. */
  note?: string | undefined;
}

export const toResult = (
  step: Step,
  outcome: StepOutcome,
  more: Pick<StepResult, 'id' | 'error' | 'durationMs' | 'note'> = {},
): StepResult => ({ folder: step.folder, id: step.remote?.id, name: step.name, outcome, step, ...more });
