/** Whether other users of this computer can change the folders of the tool. */
import type { Host } from '../../host.ts';
import { describeDistrust, distrustHint, findUntrusted, type Untrusted } from '../../state/folder-trust.ts';
import { ownFolders } from '../../state/place.ts';
import { type Check, checkOf, type Finding } from './check.ts';

export const folderTrust: Check = checkOf('own folders', ({ host }) => facts(host), judgeOwnFolders);

/** The folders that others can change, each with the path that lets them. */
type Facts = readonly { folder: string; found: Untrusted }[];

function facts(host: Host): Facts | undefined {
  if (host.user === undefined) return undefined;
  return ownFolders(host).flatMap((folder) => {
    const found = findUntrusted(host, folder);
    return found ? [{ folder, found }] : [];
  });
}

const ALTERNATIVE = 'name folders of your own with XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_DATA_HOME';

/** Pure. */
export function judgeOwnFolders(untrusted: Facts | undefined): Finding | undefined {
  if (untrusted === undefined) return undefined;
  if (untrusted.length === 0) return { status: 'ok', found: 'no other user can change them' };
  const found = untrusted.map(({ folder, found: one }) => `${folder} is not used: ${describeDistrust(one)}`);
  const advice = new Set(untrusted.map(({ found: one }) => distrustHint(one, ALTERNATIVE)));
  return { status: 'warning', found: found.join('; '), advice: [...advice].join('; ') };
}
