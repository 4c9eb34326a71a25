/** The refusal of a lock whose formulas the service has none of. Pure. */
import type { Looked } from '../../api/incomplete-list.ts';
import { CliError } from '../../errors.ts';
import type { CommandLine } from '../../text/shell-quote.ts';

/** Ids of the lock, and the files that it is. */
export interface LockedIds {
  ids: Iterable<string>;
  files: readonly string[];
}

/**
 * Raises conflict (6) when the lock file has two or more ids and the service has none of them as a private formula,
 * unavailable (8) when that is open. One missing id alone is a deleted formula. `forced` says what --force would do; `command` makes one to type that asks the same service.
 */
export function refuseOtherTenant(
  { ids, files }: LockedIds,
  { formulas: remotes, doubts }: Looked,
  forced: string,
  command: CommandLine,
): void {
  const named = new Set([...ids].map((id) => id.toLowerCase()));
  const isThere = remotes.some(({ id, type }) => type !== 'official' && named.has(id.toLowerCase()));
  if (named.size < 2 || isThere) return;
  const doubt = [...named].map((id) => doubts.get(id)).find((text) => text !== undefined);
  if (doubt !== undefined) {
    throw new CliError(
      'unavailable',
      `could not tell whether the service has a formula that the lock names: ${doubt}`,
      {
        hint: `try again later; --force goes on, and ${forced}`,
      },
    );
  }
  throw new CliError(
    'conflict',
    `the service has none of the ${named.size} formulas that the lock names (${files.join(', ')}). Is this the right tenant?`,
    {
      hint: `check the address, the key and --target (${command('doctor')} shows them); --force goes on, and ${forced}`,
    },
  );
}
