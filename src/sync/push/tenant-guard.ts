/** The refusal of a lock whose formulas the service has none of. Pure. */
import type { LookupResult } from '../../api/incomplete-list.ts';
import { CliError } from '../../errors.ts';
import type { CommandFormatter } from '../../text/shell-quote.ts';

/** Ids of the lock, and the files that it is. */
export interface LockfileIds {
  ids: Iterable<string>;
  files: readonly string[];
}

/**
 * Raises conflict (6) when the lock file has two or more ids and the service has none of them as a private formula,
 * unavailable (8) when that is open. One missing id alone is a deleted formula. `forced` says what --force would do; `command` makes one to type that asks the same service.
 */
export function assertSameTenant(
  { ids, files }: LockfileIds,
  { formulas: remotes, incompleteReasons }: LookupResult,
  forceEffect: string,
  command: CommandFormatter,
): void {
  const lockedIds = new Set([...ids].map((id) => id.toLowerCase()));
  const hasAny = remotes.some(({ id, type }) => type !== 'official' && lockedIds.has(id.toLowerCase()));
  if (lockedIds.size < 2 || hasAny) return;
  const incompleteReason = [...lockedIds].map((id) => incompleteReasons.get(id)).find((text) => text !== undefined);
  if (incompleteReason !== undefined) {
    throw new CliError(
      'unavailable',
      `could not tell whether the service has a formula that the lock names: ${incompleteReason}`,
      {
        hint: `try again later; --force goes on, and ${forceEffect}`,
      },
    );
  }
  throw new CliError(
    'conflict',
    `the service has none of the ${lockedIds.size} formulas that the lock names (${files.join(', ')}). Is this the right tenant?`,
    {
      hint: `check the address, the key and --target (${command('doctor')} shows them); --force goes on, and ${forceEffect}`,
    },
  );
}
