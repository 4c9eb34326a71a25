/** Checks that no other user can change the configuration, state, and data folders. */
import { statSync } from 'node:fs';
import { describeFsError } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { findUntrustedPath, formatDistrust, getDistrustHint, type UntrustedPath } from '../state/folder-trust.ts';
import { listToolFolders } from '../state/xdg-paths.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';

export const folderTrust: Check = defineCheck('own folders', ({ host }) => gatherOwnFolders(host), evaluateOwnFolders);

export interface OwnFolderFacts {
  /** Folders that other users can change, each with the path whose owner or mode allows it. */
  untrusted: readonly { folder: string; found: UntrustedPath }[];
  /** Folders that cannot be checked, each with the reason. */
  unreadable: readonly string[];
}

function gatherOwnFolders(host: Host): OwnFolderFacts | undefined {
  if (host.userId === undefined) return undefined;
  const folders = listToolFolders(host);
  const untrusted = folders.flatMap((folder) => {
    const found = findUntrustedPath(host, folder);
    return found ? [{ folder, found }] : [];
  });
  return { untrusted, unreadable: folders.flatMap(findUnreadable) };
}

function findUnreadable(folder: string): string[] {
  try {
    statSync(folder);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? [] : [`${folder}: ${describeFsError(error)}`];
  }
}

const ALTERNATIVE = 'Set XDG_CONFIG_HOME, XDG_STATE_HOME, and XDG_DATA_HOME to folders of your own.';

/** Pure. */
export function evaluateOwnFolders(facts: OwnFolderFacts | undefined): CheckResult | undefined {
  if (facts === undefined) return undefined;
  const { untrusted, unreadable } = facts;
  if (untrusted.length === 0 && unreadable.length > 0) return { status: 'unknown', found: unreadable.join('; ') };
  if (untrusted.length === 0) return { status: 'ok', found: 'only this user can change them' };
  const found = untrusted.map(({ folder, found: one }) => `${folder} is not used: ${formatDistrust(one)}`);
  const advice = new Set(untrusted.map(({ found: one }) => getDistrustHint(one, ALTERNATIVE)));
  return { status: 'warning', found: found.join('; '), advice: [...advice].join('\n') };
}
