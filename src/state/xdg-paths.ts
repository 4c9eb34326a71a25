/** The folders of the tool: `formulary` in the user's folders for configuration, state, and data (XDG, AppData). */
import { attempt } from '../errors.ts';
import { getPlatformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import { sha256 } from '../text/hash.ts';

type UserHost = Pick<Host, 'env' | 'home' | 'platform'>;

/** The state folder, which need not exist; undefined if neither the environment nor a home folder defines it. */
export const getStateFolder = (host: UserHost): string | undefined => resolveToolFolder('state', host);

/** The same for the configuration. */
export const getConfigFolder = (host: UserHost): string | undefined => resolveToolFolder('config', host);

/** The same for the data of the embedded service. */
export const getDataFolder = (host: UserHost): string | undefined => resolveToolFolder('data', host);

/** What a bundle depends on outside of the repository: the folders that are never bundled, and the limits of the repository. */
export function getSurroundings(host: Host) {
  return { excludedFolders: listToolFolders(host), cwd: getCurrentFolder(host), home: host.home, env: host.env };
}

/** The current folder; undefined if it was removed. */
export const getCurrentFolder = (host: Host): string | undefined => attempt(() => host.cwd());

/** All folders of the tool, with keys and saved versions; they need not exist. */
export function listToolFolders(host: UserHost): string[] {
  const folders = [getConfigFolder(host), getStateFolder(host), getDataFolder(host)];
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

/** The defaults. On Windows, only the configuration roams with the user. */
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

/** A hash of texts as a file name: 16 hexadecimal digits. */
export const shortHash = (...texts: readonly string[]): string =>
  sha256(JSON.stringify(texts)).toString('hex').slice(0, 16);
