/** Waits until the lock and what was last seen are in their files. */
import { CliError } from '../errors.ts';
import { isInUse, reasonOf } from '../files/file-errors.ts';
import { LOCK_FILE } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import type { Seen } from '../state/remote-baseline.ts';
import type { SharedFile } from '../state/shared-json.ts';
import { NOT_REMEMBERED, stateProblem, warnOfState } from '../state/state-folder.ts';
import { stateFolder } from '../state/xdg-paths.ts';
import type { Identities } from './links.ts';

/** A formula whose entry in the lock file must not be lost. */
export type Changed = Pick<Formula, 'id' | 'name'>;

interface SaveOptions {
  /** The formulas that were created, renamed, or deleted. */
  changed?: readonly Changed[];
  /** What to do where the lock file cannot be written and formulas changed. */
  hint?: string;
}

/**
 * Raises partial (7) when the project's lock file cannot be written although formulas were created, renamed, or deleted;
 * otherwise `warn` is told.
 */
export async function saveNotes(
  identities: Identities,
  seen: SharedFile<Seen> | undefined,
  { isShared }: TargetName,
  host: Host,
  warn: (text: string) => void,
  { changed = [], hint }: SaveOptions = {},
): Promise<void> {
  const lockFault = await faultOf(identities);
  const seenFault = await faultOf(seen);
  if (lockFault !== undefined && isShared) {
    if (changed.length > 0) throw lockError(lockFault, changed, hint);
    warn(
      `warning: ${LOCK_FILE} could not be written: ${reasonOf(lockFault)}; no formula was created, renamed, or deleted`,
    );
  }
  const fault = seenFault ?? (isShared ? undefined : lockFault);
  if (fault !== undefined) {
    const problem = stateProblem(stateFolder(host) ?? '', 'write', fault);
    warnOfState(host, problem, NOT_REMEMBERED, warn);
  }
}

/** Waits for them too, but gives what failed, for a command that has an answer to print before it ends so. */
export async function notesFault(saved: Promise<void>): Promise<unknown> {
  return faultOf({ saved: () => saved });
}

async function faultOf(file: { saved(): Promise<void> } | undefined): Promise<unknown> {
  try {
    await file?.saved();
    return undefined;
  } catch (error) {
    return error;
  }
}

const SHOWN = 20;

function lockError(fault: unknown, changed: readonly Changed[], hint: string | undefined): CliError {
  const shown = changed.slice(0, SHOWN).map(({ id, name }) => `${JSON.stringify(name)} (${id})`);
  const more = changed.length > SHOWN ? `, and ${changed.length - SHOWN} more` : '';
  return new CliError(
    'partial',
    `could not write ${LOCK_FILE}: ${reasonOf(fault)}; its entries are missing or out of date for: ${shown.join(', ')}${more}`,
    {
      hint:
        hint ??
        `${isInUse(fault) ? 'Close that program' : 'Make the file and its folder writable'}, and run the command again, or pass --no-lock.`,
      details: { ids: changed.map(({ id }) => id) },
      cause: fault,
    },
  );
}
