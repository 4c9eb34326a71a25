/** Rejects a lock file of another tenant. Pure. */
import type { ListResult } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { Formula } from '../../model.ts';
import type { CommandFormatter } from '../../text/shell-quote.ts';

/**
 * Raises conflict (6) if the lock file has two or more ids, and the service has none of them as a private formula,
 * unavailable (8) if an incomplete list has none of them. A single missing id is a deleted formula. `forceEffect` is what
 * --force would do; `command` formats a command for the same service.
 */
export function assertSameTenant(
  { ids, files }: { ids: Iterable<string>; files: readonly string[] },
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
