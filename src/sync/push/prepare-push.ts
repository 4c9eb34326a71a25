/** The plan of a tree against a service: what diff shows, push --dry-run shows, and push carries out. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Send } from '../../api/client.ts';
import { listFormulas } from '../../api/formula-reads.ts';
import type { Tree } from '../../check/check-tree.ts';
import { CliError } from '../../errors.ts';
import { isWithin } from '../../files/paths.ts';
import { CODE_FILES } from '../../folder/read.ts';
import type { Host } from '../../host/host.ts';
import type { Formula } from '../../model.ts';
import type { TargetName } from '../../settings/resolve-target.ts';
import { openSeen, type Seen } from '../../state/remote-baseline.ts';
import type { SharedFile } from '../../state/shared-json.ts';
import { type Identities, openIdentities } from '../links.ts';
import { knownOf } from './complete-list.ts';
import { findClashes } from './duplicates.ts';
import { type Plan, planPush, type Situation } from './plan.ts';
import { remoteReducer } from './reduce-remotes.ts';

export interface PlanFlags {
  prune?: boolean | undefined;
  force?: boolean | undefined;
  /** False with --no-lock. */
  lock?: boolean | undefined;
  /** How many requests travel at once. */
  concurrency?: number;
  /** Codes and icons of the service that are kept from the list until they are replaced; others are read again. */
  maxCharacters?: number;
}

export interface Planned {
  plan: Plan;
  remotes: readonly Formula[];
  identities: Identities;
  seen: SharedFile<Seen> | undefined;
}

/** Opens the lock of a tree; with --no-lock an empty one. Raises usage (2), invalid (3) for a broken lock. */
export function openLocks(tree: Tree, target: TargetName, flags: PlanFlags, host: Host): Identities {
  if (flags.prune && flags.lock === false) {
    throw new CliError('usage', '--prune deletes what the lock lists, so it excludes --no-lock');
  }
  if (flags.lock === false) return openIdentities([], target, host);
  const folders = tree.formulas.map(({ path }) => path);
  return openIdentities(tree.roots, target, host, { folders, searchBelow: flags.prune ? 'strict' : undefined });
}

/** What is wrong with folders of one name, or of one id in the lock; by folder. */
export function clashesOf(tree: Tree, ids: ReadonlyMap<string, string> = new Map()): Map<string, string> {
  const named = tree.formulas.flatMap(({ folder, path, name }) => (name === null ? [] : [{ folder, path, name }]));
  return findClashes(named, ids);
}

/**
 * Lists the service once and plans. Raises what the list raises, conflict (6) for what looks like another tenant, and
 * unavailable (8) where the service does not show enough to tell.
 */
export async function plan(
  { roots, formulas }: Tree,
  identities: Identities,
  send: Send,
  target: TargetName,
  flags: PlanFlags,
  host: Host,
): Promise<Planned> {
  const { ids } = identities;
  const locals = formulas.flatMap(({ local }) => local ?? []);
  const reduce = remoteReducer({ locals, ids }, flags.maxCharacters ?? Number.POSITIVE_INFINITY);
  const known = await knownOf(send, await listFormulas(send, { reduce }), { locals, ids }, flags.concurrency ?? 1);
  const seen = openSeen(host, target.name, send.warn);
  const isBelow = (path: string) => roots.some((root) => isWithin(path, root));
  const prunes = (path: string) => (flags.prune ?? false) && isBelow(path);
  const missing = await findMissing([...ids.keys()], prunes, send, host);
  const { command } = send;
  const options = {
    command,
    force: flags.force ?? false,
    prunes,
  };
  const situation = {
    locals,
    ...known,
    ids,
    lockFiles: identities.files,
    ...missing,
    seen: seen?.value ?? new Map(),
  };
  return { plan: planPush(situation, options), remotes: known.remotes, identities, seen };
}

/** The folders of the lock files without a formula; of those that --prune is about, git is asked which a sparse checkout skips. */
async function findMissing(
  folders: readonly string[],
  prunes: (path: string) => boolean,
  send: Send,
  host: Host,
): Promise<Pick<Situation, 'gone' | 'incomplete'>> {
  const isMissing = (path: string) => !holdsFormula(path) || lacksManifest(path);
  const candidates = folders.filter((path) => prunes(path) && isMissing(path));
  const skipped = candidates.length === 0 ? new Set<string>() : await findSkipped(candidates, host);
  if (skipped.size > 0) send.warn(`note: ${skippedWords(skipped.size)}`);
  const others = folders.filter((path) => !skipped.has(path));
  return {
    gone: new Set(others.filter((path) => !holdsFormula(path))),
    incomplete: new Set(others.filter(lacksManifest)),
  };
}

async function findSkipped(folders: readonly string[], host: Host): Promise<ReadonlySet<string>> {
  const { findSkippedFolders } = await import('../skipped-folders.ts');
  return findSkippedFolders(folders, host);
}

const skippedWords = (count: number) =>
  count === 1
    ? 'a sparse checkout skips 1 folder of the lock file; its formula is not deleted'
    : `a sparse checkout skips ${count} folders of the lock file; their formulas are not deleted`;

const lacksManifest = (path: string) =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
  lstatSync(join(path, 'manifest.json'), { throwIfNoEntry: false }) === undefined;

/** Whether anything of a formula is in a folder; one whose manifest alone was lost is not given up. */
const holdsFormula = (path: string) =>
  ['manifest.json', ...CODE_FILES].some((name) => lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined);
