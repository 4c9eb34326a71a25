/** What the project and this machine note of formulas: the lock above a folder, and what was last seen. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realPath } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import type { Formula } from '../model.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { forgetSeen, isChangedSince, noteSeen, openSeen } from '../state/remote-baseline.ts';
import { requireWritableState } from '../state/state-folder.ts';
import { type Identities, openIdentities } from './links.ts';
import { type Changed, saveNotes } from './tracking-flush.ts';

const SAVE_HINT =
  'Make the file and its folder writable, then record the formula of the folder: formulary formula link DIR ID';

export interface Notes {
  /** The id that the lock has for a folder (absolute and real). */
  idOf(folder: string): string | undefined;
  /** The ids that the lock has, by folder. */
  readonly ids: ReadonlyMap<string, string>;
  /** The files that have some of them. */
  readonly files: readonly string[];
  /** The folder of a formula that is still there. */
  folderOf(formula: Formula): string | undefined;
  /** Whether others changed the formula since it was seen here. */
  isChanged(formula: Formula): boolean;
  /** Notes how a formula is now. */
  saw(formula: Formula): void;
  link(folder: string, formula: Formula): void;
  unlink(folder: string): void;
  /** Notes that a formula is gone: its entries end, or go over to the one that took its place. */
  gone(formula: Formula, successor?: Formula): void;
  /** Raises partial (7) when the lock file cannot be written although these were created, renamed, or deleted; otherwise warns. */
  saved(...changed: readonly Changed[]): Promise<void>;
}

/**
 * Opens the notes that count for a folder (absolute and real). The lock is made only with `makesLock`. Raises invalid
 * (3) for a lock that is broken.
 */
export function openNotes(
  folder: string,
  target: TargetName,
  host: Host,
  warn: (text: string) => void,
  { makesLock = false } = {},
): Notes {
  const identities = openIdentities([folder], target, host, { folders: [folder], onlyExisting: !makesLock });
  return notesOf(identities, target, host, warn);
}

/** For commands that do nothing but link. Raises usage (2) where links to a service of this machine cannot be saved. */
export function requireLinks({ isShared }: TargetName, host: Host): void {
  if (!isShared) requireWritableState(host, 'locks', 'links to a local service cannot be saved');
}

/** The notes for commands that name no folder: those above and below the current folder. */
export function openNotesHere(target: TargetName, host: Host, warn: (text: string) => void): Notes {
  const folders: string[] = [];
  try {
    folders.push(realPath(host.cwd()));
  } catch {
    // The working folder is gone, and so is what was noted for it.
  }
  return notesOf(
    openIdentities(folders, target, host, { searchBelow: 'lenient', onlyExisting: true }),
    target,
    host,
    warn,
  );
}

function notesOf(identities: Identities, target: TargetName, host: Host, warn: (text: string) => void): Notes {
  const seen = openSeen(host, target.name, warn);
  const foldersOf = ({ id }: Formula) =>
    [...identities.ids].filter(([, other]) => other.toLowerCase() === id.toLowerCase()).map(([folder]) => folder);
  return {
    ids: identities.ids,
    files: identities.files,
    idOf: (folder) => identities.ids.get(folder),
    folderOf: (formula) => foldersOf(formula).find((folder) => existsSync(join(folder, 'manifest.json'))),
    isChanged: (formula) => seen !== undefined && isChangedSince(seen.value, formula),
    saw: (formula) => noteSeen(seen, formula),
    link: (folder, { id }) => identities.link(folder, id),
    unlink: identities.unlink,
    gone: (formula, successor) => {
      for (const folder of foldersOf(formula)) {
        if (successor) identities.link(folder, successor.id);
        else identities.unlink(folder);
      }
      forgetSeen(seen, formula);
    },
    saved: (...changed) => saveNotes(identities, seen, target, host, warn, { changed, hint: SAVE_HINT }),
  };
}
