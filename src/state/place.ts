/** Where this machine keeps what is remembered between runs: `formulary` in the user's folders (XDG). */

import { join } from 'node:path';
import { sha256 } from '../digest.ts';
import type { Host } from '../host.ts';

/** The state folder; undefined where there is neither XDG_STATE_HOME nor a home. It need not exist. */
export function stateFolder({ env, home }: Host): string | undefined {
  return placeOf(env['XDG_STATE_HOME'], home && join(home, '.local', 'state'));
}

/** The configuration folder; undefined where there is neither XDG_CONFIG_HOME nor a home. It need not exist. */
export function configFolder({ env, home }: Host): string | undefined {
  return placeOf(env['XDG_CONFIG_HOME'], home && join(home, '.config'));
}

/** Every folder that the tool keeps something of its own in, keys and copies too; none of them need exist. */
export function ownFolders(host: Host): string[] {
  const { env, home } = host;
  const data = placeOf(env['XDG_DATA_HOME'], home && join(home, '.local', 'share'));
  return [configFolder(host), stateFolder(host), data].filter((folder) => folder !== undefined);
}

const placeOf = (xdg: string | undefined, otherwise: string | undefined): string | undefined => {
  const folder = xdg?.startsWith('/') ? xdg : otherwise;
  return folder && join(folder, 'formulary');
};

/** A short name that is safe as a file's name and differs for different texts: 16 hexadecimal digits. */
export const fingerprint = (...texts: readonly string[]): string =>
  sha256(JSON.stringify(texts)).toString('hex').slice(0, 16);
