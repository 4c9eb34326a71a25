/** Where this machine keeps what is remembered between runs: `formulary` in the user's folders (XDG, AppData). */

import { getPlatformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import { sha256 } from '../text/hash.ts';

type UserHost = Pick<Host, 'env' | 'home' | 'platform'>;

/** The state folder; undefined where neither the environment nor a home names one. It need not exist. */
export const getStateFolder = (host: UserHost): string | undefined => resolveToolFolder('state', host);

/** The configuration folder; undefined where neither the environment nor a home names one. It need not exist. */
export const getConfigFolder = (host: UserHost): string | undefined => resolveToolFolder('config', host);

/** The data folder; undefined where neither the environment nor a home names one. It need not exist. */
export const getDataFolder = (host: UserHost): string | undefined => resolveToolFolder('data', host);

/** What bundling code must know of the computer: what is never bundled, and where a repository may begin. */
export function getSurroundings(host: Host) {
  return { excludedFolders: listToolFolders(host), cwd: getCurrentFolder(host), home: host.home, env: host.env };
}

/** The current folder; undefined if it was removed. */
export function getCurrentFolder(host: Host): string | undefined {
  try {
    return host.cwd();
  } catch {
    return undefined;
  }
}

/** Every folder that the tool keeps something of its own in, keys and copies too; none of them need exist. */
export function listToolFolders(host: UserHost): string[] {
  const folders = [getConfigFolder(host), getStateFolder(host), getDataFolder(host)];
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

/** Where each kind is by default. On Windows only the configuration roams with the user. */
const DEFAULTS = {
  config: { xdg: 'XDG_CONFIG_HOME', posix: ['.config'], appData: 'APPDATA', windows: ['AppData', 'Roaming'] },
  state: { xdg: 'XDG_STATE_HOME', posix: ['.local', 'state'], appData: 'LOCALAPPDATA', windows: ['AppData', 'Local'] },
  data: { xdg: 'XDG_DATA_HOME', posix: ['.local', 'share'], appData: 'LOCALAPPDATA', windows: ['AppData', 'Local'] },
} as const;

/** The XDG variable counts on every system, if it is an absolute path there. */
function resolveToolFolder(kind: keyof typeof DEFAULTS, { env, home, platform }: UserHost): string | undefined {
  const { xdg, posix, appData, windows } = DEFAULTS[kind];
  const { isAbsolute, join } = getPlatformPaths(platform);
  const configured = [env[xdg], platform === 'win32' ? env[appData] : undefined].find(
    (path) => path && isAbsolute(path),
  );
  const folder = configured ?? (home && join(home, ...(platform === 'win32' ? windows : posix)));
  return folder && join(folder, 'formulary');
}

/** A short name that is safe as a file's name and differs for different texts: 16 hexadecimal digits. */
export const shortHash = (...texts: readonly string[]): string =>
  sha256(JSON.stringify(texts)).toString('hex').slice(0, 16);
