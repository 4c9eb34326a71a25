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
  if (fault instanceof CliError) return fault;
  return new CliError('partial', `the lock could not be written (${reasonOf(fault)}); all else was done`, {
    hint: 'make room or change the permissions, and run the command again: formulas are then found by their names',
    cause: fault,
  });
}
