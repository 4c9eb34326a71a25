/** Checks that saved versions and baselines can be written. */
import { accessSync, constants, existsSync } from 'node:fs';
import { describeFsError } from '../files/file-errors.ts';
import { listAncestors } from '../files/repository.ts';
import type { Host } from '../host/host.ts';
import { getStateFolder } from '../state/xdg-paths.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';

export const stateFolder: Check = defineCheck(
  'state folder',
  ({ host }) => gatherStateFolder(host),
  evaluateStateFolder,
);

export interface StateFolderFacts {
  /** Undefined without a HOME. */
  folder: string | undefined;
  exists: boolean;
  /** Why it is not writable. */
  problem: string | undefined;
}

function gatherStateFolder(host: Host): StateFolderFacts {
  const folder = getStateFolder(host);
  if (folder === undefined) return { folder, exists: false, problem: undefined };
  const exists = existsSync(folder);
  const nearest = listAncestors(folder).find((path) => existsSync(path)) ?? folder;
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return { folder, exists, problem: undefined };
  } catch (error) {
    return { folder, exists, problem: `${nearest}: ${describeFsError(error)}` };
  }
}

/** Pure. */
export function evaluateStateFolder({ folder, exists, problem }: StateFolderFacts): CheckResult {
  const advice = 'Set XDG_STATE_HOME. Without a state folder, commands that replace or delete need --no-history.';
  if (folder === undefined) return { status: 'warning', found: 'HOME is not set, so no versions are saved', advice };
  if (problem !== undefined) return { status: 'warning', found: `not writable: ${problem}`, advice };
  return { status: 'ok', found: exists ? folder : `${folder} (does not exist yet)` };
}
