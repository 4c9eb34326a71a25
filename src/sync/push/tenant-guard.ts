/** The refusal of a lock whose formulas the service has none of. Pure. */
import type { ListResult } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { Formula } from '../../model.ts';
import type { CommandFormatter } from '../../text/shell-quote.ts';

/** Ids of the lock, and the files that it is. */
export interface LockfileIds {
  ids: Iterable<string>;
  files: readonly string[];
}

/**
 * Raises conflict (6) when the lock file has two or more ids and the service has none of them as a private formula,
 * unavailable (8) when the list is incomplete and shows none of them. One missing id alone is a deleted formula. `forced` says what --force would do; `command` makes one to type that asks the same service.
 */
export function assertSameTenant(
  { ids, files }: LockfileIds,
  { items, incompleteReason }: ListResult<Formula>,
  forceEffect: string,
  command: CommandFormatter,
): void {
  const lockedIds = new Set([...ids].map((id) => id.toLowerCase()));
  const hasAny = items.some(({ id, type }) => type !== 'official' && lockedIds.has(id.toLowerCase()));
  if (lockedIds.size < 2 || hasAny) return;
  if (incompleteReason !== undefined) {
    throw new CliError(
      'unavailable',
      `could not check whether the lock file is for this service: ${incompleteReason}`,
      {
        hint: `To continue without this check, pass --force (it ${forceEffect}).`,
      },
    );
  }
  throw new CliError(
    'conflict',
    `none of the ${lockedIds.size} formulas in the lock file (${files.join(', ')}) exist on this service. Is this the right tenant?`,
    {
      hint: `Check the base URL, the key, and --target. To see them, run: ${command('doctor')}\nTo continue, pass --force (it ${forceEffect}).`,
    },
  );
}
