/** What the project and this machine note of formulas: the lock above a folder, and what was last seen. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realPath } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import type { Formula, FormulaBody } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import {
  adoptOldHash,
  compareToBaseline,
  findBaseline,
  openBaselines,
  type RemoteState,
  readOldHashes,
  recordBaseline,
  recordPending,
} from '../state/remote-baseline.ts';
import { requireWritableState } from '../state/state-folder.ts';
import { type Links, openLinks } from './links.ts';
import { type ChangedFormula, flushTracking } from './tracking-flush.ts';

const SAVE_HINT =
  'Make the file and its folder writable, then record the formula of the folder: formulary formula link DIR ID';

export interface Tracking {
  /** The id that the lock has for a folder (absolute and real). */
  findId(folder: string): string | undefined;
  /** The ids that the lock has, by folder. */
  readonly ids: ReadonlyMap<string, string>;
  /** The files that have some of them. */
  readonly files: readonly string[];
  /** The folder of a formula that is still there. */
  findFolder(formula: Formula): string | undefined;
  /** Compares the remote formula with the baseline of a folder; `body` is the folder's content. */
  compare(folder: string, formula: Formula, body: FormulaBody): RemoteState;
  /** Records an update before it is sent; `hash` is that of the new content. */
  recordPending(folder: string, remote: Formula, hash: string): Promise<void>;
  /** Records that a folder and its formula are equal now. */
  recordBaseline(folder: string, formula: Formula): void;
  link(folder: string, formula: Formula): void;
  unlink(folder: string): void;
  /** Notes that a formula is gone: its entries end, or go over to the one that took its place. */
  recordDeleted(formula: Formula, successor?: Formula): void;
  /** Raises partial (7) when the lock file cannot be written although these were created, renamed, or deleted; otherwise warns. */
  flush(...changed: readonly ChangedFormula[]): Promise<void>;
}

/**
 * Opens the notes that count for a folder (absolute and real). The lock is made only with `makesLock`. Raises invalid
 * (3) for a lock that is broken.
 */
export function openTracking(
  folder: string,
  target: TargetName,
  host: Host,
  warn: (text: string) => void,
  { makesLock: createsLockfile = false } = {},
): Tracking {
  const links = openLinks([folder], target, host, { folders: [folder], onlyExisting: !createsLockfile });
  return createTracking(links, target, host, warn);
}

/** For commands that do nothing but link. Raises usage (2) where links to a service of this machine cannot be saved. */
export function requireWritableLinks({ isShared }: TargetName, host: Host): void {
  if (!isShared) requireWritableState(host, 'locks', 'links to a local service cannot be saved');
}

/** The notes for commands that name no folder: those above and below the current folder. */
export function openTrackingHere(target: TargetName, host: Host, warn: (text: string) => void): Tracking {
  const folders: string[] = [];
  try {
    folders.push(realPath(host.cwd()));
  } catch {
    // The working folder is gone, and so is what was noted for it.
  }
  return createTracking(
    openLinks(folders, target, host, { searchBelow: 'lenient', onlyExisting: true }),
    target,
    host,
    warn,
  );
}

function createTracking(links: Links, target: TargetName, host: Host, warn: (text: string) => void): Tracking {
  const baselines = openBaselines(host, target.name, warn);
  const findOldHash = ({ id }: Formula) => readOldHashes(host, target.name).get(id.toLowerCase());
  const findFolders = ({ id }: Formula) =>
    [...links.ids].filter(([, other]) => other.toLowerCase() === id.toLowerCase()).map(([folder]) => folder);
  return {
    ids: links.ids,
    files: links.files,
    findId: (folder) => links.ids.get(folder),
    findFolder: (formula) => findFolders(formula).find((folder) => existsSync(join(folder, 'manifest.json'))),
    compare: (folder, formula, body) => {
      const known = baselines?.value ?? new Map();
      const oldHash = findBaseline(known, folder, formula) ? undefined : findOldHash(formula);
      if (oldHash !== undefined) adoptOldHash(known, folder, formula, oldHash, body);
      return compareToBaseline(known, folder, formula);
    },
    recordPending: (folder, remote, hash) => recordPending(baselines, [{ folder, remote, hash }]),
    recordBaseline: (folder, formula) => recordBaseline(baselines, folder, formula),
    link: (folder, { id }) => links.link(folder, id),
    unlink: links.unlink,
    recordDeleted: (formula, successor) => {
      for (const folder of findFolders(formula)) {
        if (successor) links.link(folder, successor.id);
        else links.unlink(folder);
      }
    },
    flush: (...changed) => flushTracking(links, baselines, target, host, warn, { changed, hint: SAVE_HINT }),
  };
}
