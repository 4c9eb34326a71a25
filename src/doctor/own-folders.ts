/** Whether other users of this computer can change the folders of the tool. */
import { statSync } from 'node:fs';
import { reasonOf } from '../files/file-errors.ts';
import type { Host } from '../host/host.ts';
import { describeDistrust, distrustHint, findUntrusted, type Untrusted } from '../state/folder-trust.ts';
import { ownFolders } from '../state/xdg-paths.ts';
import { type Check, checkOf, type Finding } from './check.ts';

export const folderTrust: Check = checkOf('own folders', ({ host }) => facts(host), judgeOwnFolders);

export interface OwnFolderFacts {
  /** The folders that others can change, each with the path that lets them. */
  untrusted: readonly { folder: string; found: Untrusted }[];
  /** Why folders cannot be looked at. */
  hidden: readonly string[];
}

function facts(host: Host): OwnFolderFacts | undefined {
  if (host.user === undefined) return undefined;
  const folders = ownFolders(host);
  const untrusted = folders.flatMap((folder) => {
    const found = findUntrusted(host, folder);
    return found ? [{ folder, found }] : [];
  });
  return { untrusted, hidden: folders.flatMap(hiddenReason) };
}

function hiddenReason(folder: string): string[] {
  try {
    statSync(folder);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? [] : [`${folder}: ${reasonOf(error)}`];
  }
}

const ALTERNATIVE = 'name folders of your own with XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_DATA_HOME';

/** Pure. */
export function judgeOwnFolders(known: OwnFolderFacts | undefined): Finding | undefined {
  if (known === undefined) return undefined;
  const { untrusted, hidden } = known;
  if (untrusted.length === 0 && hidden.length > 0) return { status: 'unknown', found: hidden.join('; ') };
  if (untrusted.length === 0) return { status: 'ok', found: 'no other user can change them' };
  const found = untrusted.map(({ folder, found: one }) => `${folder} is not used: ${describeDistrust(one)}`);
  const advice = new Set(untrusted.map(({ found: one }) => distrustHint(one, ALTERNATIVE)));
  return { status: 'warning', found: found.join('; '), advice: [...advice].join('; ') };
}
