/** Waits until the lock and what was last seen are in their files. */
import { CliError } from '../../errors.ts';
import type { TargetName } from '../../settings.ts';
import type { Seen } from '../../state/seen.ts';
import type { SharedFile } from '../../state/shared-file.ts';
import type { Identities } from '../../sync/identities.ts';

/**
 * Raises partial (7) when the project's lock cannot be written: that is no reason to forget what was done. What this
 * machine alone remembers is missed less: `warn` hears of it.
 */
export async function saveNotes(
  identities: Identities,
  seen: SharedFile<Seen> | undefined,
  { isShared }: TargetName,
  warn: (text: string) => void,
): Promise<void> {
  const lockFault = await faultOf(identities);
  const seenFault = await faultOf(seen);
  if (lockFault !== undefined && isShared) throw lockError(lockFault);
  const fault = seenFault ?? lockFault;
  if (fault !== undefined) {
    warn(`warning: the state folder cannot be written (${reasonOf(fault)}), so what was seen now is not remembered`);
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

const reasonOf = (fault: unknown) => (fault as NodeJS.ErrnoException).code ?? (fault as Error).message;

function lockError(fault: unknown): CliError {
  // Broken meanwhile, by someone else: invalid would say that nothing was sent.
  if (fault instanceof CliError) {
    return new CliError('partial', `${fault.message}; all else was done`, { hint: fault.hint, cause: fault });
  }
  return new CliError('partial', `the lock could not be written (${reasonOf(fault)}); all else was done`, {
    hint: 'make room or change the permissions, and run the command again: formulas are then found by their names',
    cause: fault,
  });
}
