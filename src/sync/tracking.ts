/** What is recorded about formulas: links to folders (lock files), and the last common content (baselines). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { realPath } from '../files/paths.ts';
import { MAX_FOLDERS } from '../folder/find-lockfiles.ts';
import type { Host } from '../host/host.ts';
import type { Formula, FormulaBody, NamedFormula } from '../model.ts';
import { escapeControls } from '../output/escape.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { type Baseline, openBaselines } from '../state/baseline-file.ts';
import {
  compareToBaseline,
  findBaseline,
  forgetBaseline,
  isContent,
  type PendingWrite,
  type RemoteState,
  recordBaseline,
  recordPending,
} from '../state/remote-baseline.ts';
import { requireWritableState } from '../state/state-folder.ts';
import { suggest } from '../text/did-you-mean.ts';
import { findTops, type LinkOptions } from './link-files.ts';
import { openLinks } from './links.ts';
import { flushTracking } from './tracking-flush.ts';

export type Tracking = ReturnType<typeof openTracking>;

export interface TrackingOptions extends LinkOptions {
  /** What to do if the lock file cannot be written and formulas changed. */
  saveHint?: string;
}

const LINK_HINT =
  'Make the file and its folder writable, then record the formula of the folder: formulary formula link DIR ID';

/** Opens what is recorded for paths (absolute and real). Raises invalid (3) for an invalid lock file. */
export function openTracking(
  paths: readonly string[],
  target: TargetName,
  host: Host,
  warn: (text: string) => void,
  { saveHint, ...linkOptions }: TrackingOptions = {},
) {
  const links = openLinks(paths, target, host, linkOptions);
  const note = formatNewTarget(target, links.targets);
  if (note) warn(note);
  for (const top of links.unsearched)
    warn(
      escapeControls(`warning: ${top} has more than ${MAX_FOLDERS} folders; those that were moved may not be found`),
    );
  const baselines = openBaselines(host, target.name, warn);
  const known = baselines?.value ?? new Map<string, Baseline>();
  const findFolders = ({ id }: Pick<Formula, 'id'>) =>
    [...links.ids].filter(([, other]) => other.toLowerCase() === id.toLowerCase()).map(([folder]) => folder);
  return {
    ...links,
    target,
    /** The folder that is linked to a formula, if it still exists. */
    findFolder: (formula: Pick<Formula, 'id'>): string | undefined =>
      findFolders(formula).find((folder) => existsSync(join(folder, 'manifest.json'))),
    /** Compares the remote formula with the baseline of a folder. */
    compare: (folder: string, formula: Formula): RemoteState => compareToBaseline(known, folder, formula),
    /** The hash of the content that a folder last had in common with the service. */
    findBaselineHash: (folder: string, formula: Formula): string | undefined =>
      findBaseline(known, folder, formula)?.hash ?? undefined,
    /** Whether a folder was not edited since then. */
    isAtBaseline: (folder: string, body: FormulaBody, formula: Formula): boolean =>
      isContent(body, formula, findBaseline(known, folder, formula)?.hash ?? ''),
    /** This hash and that of what was about to be sent after that, as far as they are known. */
    listBaselineHashes: (folder: string, formula: Formula): string[] => {
      const { hash = null, pending } = findBaseline(known, folder, formula) ?? {};
      // Without a hash, there was only a write that was about to be sent.
      return hash === null ? [] : [hash, pending].filter((one) => one !== undefined);
    },
    /** Records creates and updates before they are sent. */
    recordPending: (writes: readonly PendingWrite[]) => recordPending(baselines, writes),
    /** Records that a folder and its formula are equal now. */
    recordBaseline: (folder: string, formula: Formula) => recordBaseline(baselines, folder, formula),
    link: (folder: string, { id }: Pick<Formula, 'id'>) => links.link(folder, id),
    /** Removes the link and the baseline of a folder whose formula was deleted because the folder is gone. */
    recordPruned: (folder: string, formula: Formula) => {
      links.unlink(folder);
      forgetBaseline(baselines, folder, formula);
    },
    /** Removes the links to a deleted formula, or changes them to its successor. */
    recordDeleted: (formula: Pick<Formula, 'id'>, successor?: Pick<Formula, 'id'>) => {
      for (const folder of findFolders(formula))
        if (successor) links.link(folder, successor.id);
        else links.unlink(folder);
    },
    /** Raises partial (7) if the lock file cannot be written although these were created, renamed, or deleted; otherwise warns. */
    flush: (...changed: readonly NamedFormula[]) =>
      flushTracking(links, baselines, target, host, warn, { changed, hint: saveHint }),
  };
}

/** A misspelled name would be another environment without a word. */
function formatNewTarget({ name, isShared }: TargetName, known: readonly string[]): string | undefined {
  if (!isShared || known.length === 0 || known.includes(name)) return undefined;
  const similar = suggest(name, known);
  const question = similar === undefined ? '' : `; did you mean "${similar}"?`;
  return `note: the lock file has no target "${name}" yet, only ${known.join(', ')}${question}`;
}

/** For commands on one folder (absolute and real), whose formula another one of the repository may be linked to. A lock file is created only with `createsLockfile`. */
export const openFolderTracking = (
  folder: string,
  target: TargetName,
  host: Host,
  warn: (text: string) => void,
  { createsLockfile = false } = {},
): Tracking =>
  openTracking([folder], target, host, warn, {
    folders: [folder],
    // Links to services on this computer may be doubled: no other computer sees them.
    repositories: target.isShared ? findTops([folder], host) : [],
    onlyExisting: !createsLockfile,
    saveHint: LINK_HINT,
  });

/** For commands on formulas, without a folder: what is recorded above and below the current folder, or in its repository. */
export function openTrackingHere(
  target: TargetName,
  host: Host,
  warn: (text: string) => void,
  { inRepository = false } = {},
): Tracking {
  // A removed folder has nothing.
  const folders = [attempt(() => realPath(host.cwd()))].filter((folder) => folder !== undefined);
  return openTracking(folders, target, host, warn, {
    searchBelow: 'lenient',
    repositories: inRepository ? findTops(folders, host) : [],
    onlyExisting: true,
    saveHint: LINK_HINT,
  });
}

/** For commands that only link. Raises usage (2) if links to a service on this computer cannot be saved. */
export function requireWritableLinks({ isShared }: TargetName, host: Host): void {
  if (!isShared) requireWritableState(host, 'locks', 'links to a local service cannot be saved');
}
