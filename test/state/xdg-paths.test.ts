import { describe, expect, it } from 'vitest';
import { getConfigFolder, getDataFolder, getStateFolder, listToolFolders } from '../../src/state/xdg-paths.ts';

const foldersFor = (platform: string, env: Record<string, string>, home?: string) => {
  const host = { platform, env, home };
  return [getConfigFolder(host), getStateFolder(host), getDataFolder(host)];
};

const HOME = 'C:\\Users\\ada';
const APP_DATA = { APPDATA: `${HOME}\\AppData\\Roaming`, LOCALAPPDATA: `${HOME}\\AppData\\Local` };
const ON_WINDOWS = [
  'C:\\Users\\ada\\AppData\\Roaming\\formulary',
  'C:\\Users\\ada\\AppData\\Local\\formulary',
  'C:\\Users\\ada\\AppData\\Local\\formulary',
];

describe('the configuration, state, and data folders', () => {
  it.each(['linux', 'darwin'])('are those of XDG on %s', (platform) => {
    expect(foldersFor(platform, APP_DATA, '/home/ada')).toEqual([
      '/home/ada/.config/formulary',
      '/home/ada/.local/state/formulary',
      '/home/ada/.local/share/formulary',
    ]);
    const env = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_DATA_HOME: '/d' };
    expect(foldersFor(platform, env)).toEqual(['/c/formulary', '/s/formulary', '/d/formulary']);
  });

  it('are in AppData on Windows, with only the configuration roaming', () => {
    expect(foldersFor('win32', APP_DATA, 'D:\\')).toEqual(ON_WINDOWS);
    expect(foldersFor('win32', {}, HOME)).toEqual(ON_WINDOWS);
  });

  it.each(['C:\\x', 'c:/x', '\\\\server\\x', '/x'])('are those of XDG on Windows too, as in %s', (folder) => {
    const env = { ...APP_DATA, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, XDG_DATA_HOME: folder };
    const wanted = `${folder.replaceAll('/', '\\')}\\formulary`;
    expect(foldersFor('win32', env, HOME)).toEqual([wanted, wanted, wanted]);
  });

  it.each([
    ['win32', 'x'],
    ['win32', '.\\x'],
    ['win32', 'C:x'],
    ['linux', 'x'],
    ['linux', 'C:\\x'],
    ['linux', ''],
  ])('are not those of a variable without an absolute path, as on %s in "%s"', (platform, folder) => {
    const env = { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, XDG_DATA_HOME: folder };
    expect(foldersFor(platform, env)).toEqual([undefined, undefined, undefined]);
  });

  it('are listed once each', () => {
    expect(listToolFolders({ platform: 'win32', env: APP_DATA, home: undefined })).toEqual(ON_WINDOWS.slice(0, 2));
  });
});
