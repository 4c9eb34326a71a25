/** Access to the state folder, and the messages if it cannot be read or written. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { assertWritable, makeFolders } from '../files/atomic-write.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { explainDenial } from '../host/node-options.ts';
import { findUntrustedPath, formatDistrust, getDistrustHint } from './folder-trust.ts';
import { getStateFolder } from './xdg-paths.ts';

/** The state folder, which need not exist, or why it cannot be used. */
export type StateAccess = { folder: string; problem?: undefined } | { folder?: undefined; problem: StateProblem };

export interface StateProblem {
  /** The folder has no location, so nothing was ever saved. */
  isMissing: boolean;
  /** The reason, with its path. */
  message: string;
  hint: string;
}

/** The consequence of a state folder that cannot be written. */
export const FUTURE_CHANGES_UNDETECTED = 'later remote changes are not detected';

const OTHER_FOLDER = 'Set XDG_STATE_HOME to a folder of your own.';

const NO_HOME: StateProblem = {
  isMissing: true,
  message: 'no state folder (HOME is not set)',
  hint: OTHER_FOLDER,
};

export const getReadableState = (host: Host): StateAccess => accessState(host, 'read');

/** Creates a missing folder. */
export const getWritableState = (host: Host): StateAccess => accessState(host, 'write');

function accessState(host: Host, purpose: 'read' | 'write'): StateAccess {
  const folder = getStateFolder(host);
  if (folder === undefined) return { problem: NO_HOME };
  const distrust = findTrustProblem(host, folder);
  if (distrust) return { problem: distrust };
  try {
    if (purpose === 'write') makeFolders(folder, 0o700);
    readdirSync(folder);
  } catch (error) {
    const isEmpty = purpose === 'read' && (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isEmpty) return { problem: toStateProblem(folder, purpose, error) };
  }
  // In a parent that all users can write, others may have created it first.
  const problem = findTrustProblem(host, folder);
  return problem ? { problem } : { folder };
}

function findTrustProblem(host: Host, folder: string): StateProblem | undefined {
  const found = findUntrustedPath(host, folder);
  return (
    found && {
      isMissing: false,
      message: `the state folder is not used: ${formatDistrust(found)}`,
      hint: getDistrustHint(found, OTHER_FOLDER),
    }
  );
}

/** Converts an error of the file system, for the state folder or a part of it. */
export const toStateProblem = (path: string, purpose: 'read' | 'write', error: unknown): StateProblem => ({
  isMissing: false,
  message: `cannot ${purpose} the state folder ${path}: ${describeFsError(error)}`,
  hint: explainDenial(error)?.hint ?? OTHER_FOLDER,
});

/**
 * The path of a part of the state folder, which is created if it is missing. Raises usage (2) if it cannot be written:
 * `failure` is what could not be done, `alternative` another hint.
 */
export function requireWritableState(host: Host, part: string, failure: string, alternative?: string): string {
  const state = getWritableState(host);
  const path = join(state.folder ?? '', part);
  const problem = state.problem ?? findWriteProblem(path);
  if (!problem) return path;
  const hint = [problem.hint, alternative].filter(Boolean).join('\n');
  throw new CliError('usage', `${failure}: ${problem.message}`, { hint });
}

function findWriteProblem(path: string): StateProblem | undefined {
  try {
    makeFolders(path, 0o700);
    assertWritable(join(path, 'entry'));
    return undefined;
  } catch (error) {
    return toStateProblem(path, 'write', error);
  }
}

const warnedHosts = new WeakSet<Host>();

/** Warns that the state folder cannot be used, once per command, since everything fails for the same reason. */
export function warnAboutState(
  host: Host,
  { message, hint }: StateProblem,
  consequence: string,
  warn: (text: string) => void,
): void {
  if (warnedHosts.has(host)) return;
  warnedHosts.add(host);
  warn(`warning: ${message}; ${consequence}`);
  warn(`hint: ${hint}`);
}
