/** The port and token of the last workbench of a folder, so that its open pages find the next one. */
import { dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import { readStateFile } from './private-file.ts';
import { getReadableState } from './state-folder.ts';
import { shortHash } from './xdg-paths.ts';

export interface WorkbenchAddress {
  port: number;
  token: string;
}

const MAX_AGE_MS = 12 * 60 * 60 * 1000;

const getAddressPath = (host: Host, cwd: string) => {
  const { folder } = getReadableState(host);
  return folder && join(folder, 'workbench', `${shortHash(cwd)}.json`);
};

/** Undefined if there is none of the last 12 hours that can be read. */
export const readWorkbenchAddress = (host: Host, cwd: string): WorkbenchAddress | undefined =>
  attempt(() => {
    const { port, token, since } = JSON.parse(readStateFile(getAddressPath(host, cwd) ?? '', host));
    const isValid = Number.isInteger(port) && typeof token === 'string' && token.length >= 32;
    return isValid && Math.abs(host.now().getTime() - since) < MAX_AGE_MS ? { port, token } : undefined;
  });

/** If it fails, the next workbench has another port and token. */
export function saveWorkbenchAddress(host: Host, cwd: string, address: WorkbenchAddress): void {
  const file = getAddressPath(host, cwd);
  if (!file) return;
  attempt(() => {
    makeFolders(dirname(file), 0o700);
    writeFileAtomic(file, `${JSON.stringify({ ...address, since: host.now().getTime() })}\n`, 0o600);
  });
}
