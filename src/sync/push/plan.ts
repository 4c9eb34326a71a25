/** The plan of a push: its input, and its steps. */
import type { ListResult } from '../../api/pagination.ts';
import type { LocalFormula } from '../../check/local-formula.ts';
import type { Folder } from '../../folder/find-folders.ts';
import type { Formula, FormulaBody } from '../../model.ts';
import type { RemoteState } from '../../state/remote-baseline.ts';
import type { CommandFormatter } from '../../text/shell-quote.ts';

/** The facts that a plan is based on. */
export interface PlanInput {
  locals: readonly LocalFormula[];
  /** All formulas of the service; the list may be incomplete. */
  remotes: ListResult<Formula>;
  /** The linked ids, by folder. */
  ids: ReadonlyMap<string, string>;
  /** The lock files. */
  lockFiles: readonly string[];
  /** Linked folders that no longer contain a formula. */
  missingFolders: ReadonlySet<string>;
  /** Linked folders that exist without a manifest. */
  foldersWithoutManifest?: ReadonlySet<string>;
  /** Whether others changed the remote formula of a folder. */
  compare(path: string, remote: Formula): RemoteState;
}

export interface PlanOptions {
  /** Overwrite changes by others. */
  force: boolean;
  /** The reference of --since, whose versions take the place of the baselines. */
  since?: string | undefined;
  /** Whether the formula of a missing folder is deleted. */
  shouldPrune(path: string): boolean;
  /** Formats a command, such as `formula list`, for the same service. */
  command: CommandFormatter;
  /** The path of a linked folder for messages. */
  formatFolder(path: string): string;
  /** Flags of this command that a push to resolve a conflict needs too. */
  keptFlags?: readonly string[];
}

export interface Step {
  action: 'create' | 'update' | 'keep' | 'delete' | 'conflict';
  /** The absolute and real path of the folder. */
  path: string;
  local?: LocalFormula | undefined;
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
  /** The linked id, if it no longer exists. */
  missingId?: string;
  /** The reason of a conflict. */
  reason?: string;
  /** The commands that resolve a conflict. */
  hint?: string;
}

/** Whether a step changes a formula, or the lock file. */
export const isChange = ({ action, movedFrom }: { action: string; movedFrom?: Folder | undefined }): boolean =>
  action !== 'keep' || movedFrom !== undefined;

export interface Plan {
  steps: readonly Step[];
  /** Folders whose links are obsolete. */
  staleFolders: readonly string[];
}
