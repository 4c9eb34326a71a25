/** Writes the planned results of an edit. */
import type { Host } from '../host/host.ts';
import { applyEdit, refuseLinks, refuseUnwritable } from './apply-edit.ts';
import { applyWriteResults, type EditResult } from './edit-result.ts';

/** Writes the files, unless it is a dry run or a result is invalid. Raises usage (2) for a file that cannot be written. */
export async function writeResults(
  planned: readonly EditResult[],
  { dryRun }: { dryRun?: boolean | undefined },
  host: Host,
): Promise<readonly EditResult[]> {
  const edits = planned.flatMap(({ edit, outcome }) => (outcome === 'would_edit' ? [edit] : []));
  if (planned.some(({ outcome }) => outcome === 'invalid')) return planned;
  refuseLinks(edits);
  if (dryRun) return planned;
  refuseUnwritable(edits);
  host.installSignalHandlers();
  return applyWriteResults(planned, await applyEdit(edits, host.abortSignal));
}
