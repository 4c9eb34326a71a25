/** Prevents a second private formula of one name, which a service accepts, but is rarely intended. */
import type { ServiceClient } from '../api/client.ts';
import { formatSearchCommand } from '../api/find-formula.ts';
import { filterByName } from '../api/incomplete-list.ts';
import type { ListResult } from '../api/pagination.ts';
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import { toPathArgument } from '../text/shell-quote.ts';

/**
 * Raises conflict (6) if a private formula of this exact name exists, unavailable (8) if an incomplete list has none. `dir`
 * is the folder of the new formula.
 */
export function assertNameFree(list: ListResult<Formula>, name: string, client: ServiceClient, dir?: string): void {
  const { items, incompleteReason } = filterByName(list, name);
  const ids = items.filter(({ type }) => type !== 'official').map(({ id }) => id);
  if (ids.length > 0) {
    const message = `a private formula named ${JSON.stringify(name)} already exists: ${ids.join(', ')}`;
    const hint =
      dir &&
      `To replace it, run: ${client.command('formula update', ids[0] ?? '', toPathArgument(dir))}\nTo create another one, pass --allow-duplicate.`;
    throw new CliError('conflict', message, { hint, details: { ids } });
  }
  if (incompleteReason === undefined) return;
  const message = `could not check whether the name ${JSON.stringify(name)} is in use: ${incompleteReason}`;
  const hint = `To search for it, run: ${formatSearchCommand(client, name)}${dir === undefined ? '' : '\nTo create it without this check, pass --allow-duplicate.'}`;
  throw new CliError('unavailable', message, { hint });
}
