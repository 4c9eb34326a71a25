/** The state folder as a command finds it: where it can be read and written, and what to say where it cannot. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { assertWritable, makeFolders } from '../files/atomic-write.ts';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { describeDistrust, findUntrustedPath, getDistrustHint } from './folder-trust.ts';
import { getStateFolder } from './xdg-paths.ts';

/** The state folder, which need not exist, or why it cannot be used. */
export type StateAccess = { folder: string; problem?: undefined } | { folder?: undefined; problem: StateProblem };

export interface StateProblem {
  /** There is no place for the folder, so nothing was ever saved. */
  isMissing: boolean;
  /** Names the folder and the reason. */
  message: string;
  hint: string;
}

/** What follows from a state folder that cannot be written. */
export const FUTURE_CHANGES_UNDETECTED = 'changes that others make from now on are not noticed';

const OTHER_FOLDER = 'Set XDG_STATE_HOME to a folder of your own.';

const NO_HOME: StateProblem = {
  isMissing: true,
  message: 'there is no state folder, because HOME is not set',
  hint: OTHER_FOLDER,
};

export const getReadableState = (host: Host): StateAccess => accessState(host, 'read');

/** What was found once to be writable stays so for a command, as far as others are concerned. */
const writableStates = new WeakMap<Host, StateAccess>();

/** Creates the folder where it is missing. */
export function getWritableState(host: Host): StateAccess {
  const known = writableStates.get(host);
  if (known) return known;
  const found = accessState(host, 'write');
  if (!found.problem) writableStates.set(host, found);
  return found;
}

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
  // Others may have been faster to create it, in a folder that is open to all.
  const problem = purpose === 'write' ? findTrustProblem(host, folder) : undefined;
  return problem ? { problem } : { folder };
}

function findTrustProblem(host: Host, folder: string): StateProblem | undefined {
  const found = findUntrustedPath(host, folder);
  return (
    found && {
      isMissing: false,
      message: `the state folder ${folder} is not used, because ${describeDistrust(found)}`,
      hint: getDistrustHint(found, OTHER_FOLDER),
    }
  );
}

/** What is said of a state folder, or of a part of it, that the file system refused to read or write. */
export const toStateProblem = (path: string, purpose: 'read' | 'write', error: unknown): StateProblem => ({
  isMissing: false,
  message: `cannot ${purpose} the state folder ${path}: ${describeFsError(error)}`,
  hint: OTHER_FOLDER,
});

/**
 * A part of the state folder, created where it is missing, for what must not continue without it. Raises usage (2)
 * where it cannot be written: `failure` says what could not be done, `alternative` what else to do about it.
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

/** Warns that the state folder cannot be used, once in a command: whatever else needs it fails for the same reason. */
export function warnAboutState(
  host: Host,
  { message, hint }: StateProblem,
  consequence: string,
  warn: (text: string) => void,
): void {
  if (warnedHosts.has(host)) return;
  warnedHosts.add(host);
  warn(`warning: ${message}; ${consequence}. ${hint}`);
}
