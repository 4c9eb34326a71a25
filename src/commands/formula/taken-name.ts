/** The refusal of a second private formula of one name, which the service would take and hardly anybody means. */
import { CliError } from '../../errors.ts';
import type { Formula } from '../../model.ts';
import { shellPath, shellWord } from '../../shell-word.ts';

/** Raises conflict (6) when a private formula of that exact name exists. `dir` is the folder that it would come from. */
export function refuseTakenName(existing: readonly Formula[], name: string, dir?: string): void {
  const ids = existing.filter((formula) => formula.name === name && formula.type !== 'official').map(({ id }) => id);
  if (ids.length === 0) return;
  throw new CliError('conflict', `a private formula named ${JSON.stringify(name)} exists already: ${ids.join(', ')}`, {
    hint:
      dir &&
      `to replace it: formulary formula update ${shellWord(ids[0] ?? '')} ${shellPath(dir)}; to have a second one: --allow-duplicate`,
    details: { ids },
  });
}
