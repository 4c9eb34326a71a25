/** What a pull works with: the folder of each formula, the lock, and what was last seen. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Send } from '../../api/client.ts';
import { findIds } from '../../api/incomplete-list.ts';
import type { Collected } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import { checkNewNames, makeFolders } from '../../files/atomic-write.ts';
import { displayPath, isWithin, realPath, toRelative } from '../../files/paths.ts';
import { foldersBelow } from '../../folder/find-folders.ts';
import { manifestName } from '../../folder/manifest.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import { nameWithoutKey } from '../../secrets/key-leaks.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { openSeen, type Seen } from '../../state/remote-baseline.ts';
import type { SharedFile } from '../../state/shared-json.ts';
import { surroundingsFrom } from '../../state/xdg-paths.ts';
import { findLockFolder, type Identities, openIdentities } from '../links.ts';
import { refuseOtherTenant } from '../push/tenant-guard.ts';
import { type Placed, placeFormulas } from './pull-folders.ts';
import type { PullWorld } from './write-formula.ts';

export interface Pulling {
  placed: readonly Placed[];
  world: PullWorld;
  identities: Identities;
  seen: SharedFile<Seen> | undefined;
}

/**
 * Makes DIR and finds each formula's folder: without --dir, folders of the lock may stand anywhere below it. Raises
 * usage (2) for a DIR that cannot be used, invalid (3) for a lock that is broken, conflict (6) for one of another tenant.
 */
export async function preparePull(
  formulas: readonly Formula[],
  list: Collected<Formula>,
  flags: { dir?: string | undefined; force?: boolean | undefined },
  target: TargetName,
  send: Send,
  host: Host,
): Promise<Pulling> {
  const typed = flags.dir ?? '.';
  const dir = madeFolder(typed, host);
  const root = flags.dir === undefined ? findLockFolder(dir, host) : dir;
  const folders = foldersBelow({ typed, path: dir }).map(({ path }) => path);
  const identities = openIdentities([dir], target, host, { folders });
  if (!flags.force) {
    const looked = await findIds(send, list, identities.ids.values());
    const locked = { ids: identities.ids.values(), files: identities.files };
    refuseOtherTenant(locked, looked, 'brings its formulas into the same lock', send.command);
  }
  const seen = openSeen(host, target.name, send.warn);
  const placed = placeFormulas(formulas, [...new Set([...list.items, ...formulas])], {
    dir,
    ids: identities.ids,
    isInScope: (folder) => isWithin(folder, root),
    named: namedFolders(folders),
    nameOf: (formula) => nameWithoutKey(formula, send.hide),
  });
  refuseFormulaFolder(dir, typed, placed);
  const shown = (path: string) =>
    isWithin(path, dir) ? displayPath(typed, toRelative(dir, path)) : toRelative(realPath(host.cwd()), path);
  const world = {
    send,
    root,
    seen: seen?.value ?? new Map(),
    force: flags.force ?? false,
    surroundings: surroundingsFrom(host),
    shown,
  };
  return { placed, world, identities, seen };
}

/** DIR, made where it is missing; absolute and real. Raises usage (2). */
function madeFolder(typed: string, host: Host): string {
  checkNewNames(resolve(host.cwd(), typed), typed);
  let reason: string | undefined = 'it is a file';
  try {
    const path = resolve(host.cwd(), typed);
    makeFolders(path);
    if (statSync(path).isDirectory()) return realPath(path);
  } catch (error) {
    reason = (error as NodeJS.ErrnoException).code;
  }
  throw new CliError('usage', `the folder ${typed} cannot be made (${reason})`, { hint: 'name another with --dir' });
}

/** The formula folders below, by the name in their manifest. */
function namedFolders(folders: readonly string[]): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const path of folders) {
    const name = manifestName(path);
    if (name !== undefined) named.set(name, [...(named.get(name) ?? []), path]);
  }
  return named;
}

/** Formulas do not stand inside of one another. */
function refuseFormulaFolder(dir: string, typed: string, placed: readonly Placed[]): void {
  if (!existsSync(join(dir, 'manifest.json')) || placed.every(({ folder }) => folder === dir || !isWithin(folder, dir)))
    return;
  throw new CliError('usage', `${typed} is itself the folder of a formula, and not linked to all that is pulled`, {
    hint: 'give the folder that holds it with --dir, or say which formula it is: formulary formula link DIR ID',
  });
}
