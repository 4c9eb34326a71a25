import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Host, withRedaction } from '../../src/host/host.ts';
import { ApiKey } from '../../src/secrets/api-key.ts';
import { findDistrust } from '../../src/state/folder-trust.ts';
import {
  listProfileNames,
  type Profile,
  parseProfileName,
  readProfile,
  removeProfile,
  writeProfile,
} from '../../src/state/profiles.ts';
import { folderWith } from '../helpers/folders.ts';
import { type HostOptions, testHost } from '../helpers/test-host.ts';

const KEY = 'key_of-the-test';
const profile = (name = 'default', key = KEY) => ({
  name,
  baseUrl: 'https://api.example.test',
  key: new ApiKey(key, 'test'),
  keyHeader: 'X-Key',
});

/** A user with a configuration folder of their own. */
function user(hostOptions: HostOptions = {}): { host: Host; folder: string; fileOf(name: string): string } {
  const config = folderWith();
  const folder = join(config, 'formulary', 'profiles');
  const host = withRedaction(testHost({ env: { XDG_CONFIG_HOME: config }, ...hostOptions }).host);
  return { host, folder, fileOf: (name) => join(folder, `${name}.json`) };
}

const ROOT_FILE = { owner: 0, group: 0, mode: 0o600, role: 'folder', ignoresChmod: () => false } as const;

const read = (host: Host, name = 'default') => {
  const warnings: string[] = [];
  const found = readProfile(host, name, (text) => warnings.push(text));
  return { found, warnings };
};

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a saved profile', () => {
  it('is read unchanged, without a warning, and can be removed', () => {
    const { host, folder } = user();
    writeProfile(host, profile());
    const { found, warnings } = read(host);
    expect(found).toMatchObject({ name: 'default', baseUrl: 'https://api.example.test', keyHeader: 'X-Key' });
    expect((found as Profile & { key: ApiKey }).key.redactIn(KEY)).toBe('[hidden]');
    expect(warnings).toEqual([]);
    expect(readdirSync(folder)).toEqual(['default.json']);
    expect(removeProfile(host, 'default')).toBe(true);
    expect(removeProfile(host, 'default')).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('replaces one of the same name, and no other', () => {
    const { host } = user();
    for (const name of ['test', 'default', 'test']) writeProfile(host, profile(name, `key_of-${name}`));
    expect(listProfileNames(host)).toEqual(['default', 'test']);
    expect((read(host).found as Profile & { key: ApiKey }).key.redactIn('key_of-default')).toBe('[hidden]');
  });

  it('is for this user only, whatever existed and with any umask', () => {
    const { host, folder, fileOf } = user();
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeProfile(host, profile());
    chmodSync(fileOf('default'), 0o644);
    writeProfile(host, profile());
    expect([modeOf(fileOf('default')), modeOf(folder), modeOf(join(folder, '..'))]).toEqual(['600', '700', '700']);
  });

  it.each([
    ['the file', (folder: string) => chmodSync(join(folder, 'default.json'), 0o640), 'chmod 600', '640'],
    ['its folder', (folder: string) => chmodSync(folder, 0o711), 'chmod 700', '711'],
    ['the folder above', (folder: string) => chmodSync(join(folder, '..'), 0o755), 'chmod 700', '755'],
  ])('causes a warning if others can access %s', (_, widen, remedy, mode) => {
    const { host, folder } = user();
    writeProfile(host, profile());
    widen(folder);
    const { found, warnings } = read(host);
    expect(found?.name).toBe('default');
    expect(warnings).toEqual([expect.stringContaining(remedy)]);
    expect(warnings[0]).toContain(mode);
  });

  it('is not read from a folder or a file of another user', () => {
    for (const place of ['formulary', 'formulary/profiles', 'formulary/profiles/default.json']) {
      const { host } = user();
      writeProfile(host, profile());
      // Only root can give a path to another user; everybody can be asked as another user than the owner.
      const isRoot = host.userId === 0;
      if (isRoot) chownSync(join(String(host.env['XDG_CONFIG_HOME']), place), 54_321, -1);
      const asked = isRoot ? { ...host } : { ...host, userId: Number(host.userId) + 1 };
      expect(() => read(asked)).toThrow('belongs to another user');
    }
  });

  it('does not change the mode of folders that only their user can access', () => {
    const { host } = user();
    writeProfile(host, profile());
    const folder = join(String(host.env['XDG_CONFIG_HOME']), 'formulary');
    const { ctimeMs } = statSync(folder);
    writeProfile(host, profile());
    expect(statSync(folder).ctimeMs).toBe(ctimeMs);
  });

  it('of root is read by everybody', () => {
    const { host } = user();
    writeProfile(host, profile());
    const isOfRoot = statSync(String(host.env['XDG_CONFIG_HOME'])).uid === 0;
    if (isOfRoot) expect(read({ ...host, userId: 54_321 }).found?.name).toBe('default');
    else expect(findDistrust(ROOT_FILE, { user: 54_321, groups: [], home: undefined })).toBeUndefined();
  });

  it('is not read through a link, nor if it is not a regular file', () => {
    const { host, fileOf } = user();
    writeProfile(host, profile());
    renameSync(fileOf('default'), `${fileOf('default')}.moved`);
    symlinkSync(`${fileOf('default')}.moved`, fileOf('default'));
    expect(() => read(host)).toThrow('is a symbolic link, which is not followed');
    rmSync(fileOf('default'));
    spawnSync('sh', ['-c', 'mkfifo "$0"', fileOf('default')]);
    expect(() => read(host)).toThrow('not a regular file');
  });

  it.each([
    ['nothing', '', 'damaged'],
    ['no JSON', '{"version": 1, "base_url": ', 'damaged'],
    ['no object', '["x"]', 'damaged'],
    ['no key', '{"version": 1, "base_url": "https://x.test", "api_key_header": "X-Key", "api_key": " "}', 'damaged'],
    ['a key that is none', '{"version": 1, "base_url": "https://x.test", "api_key": "a\\nb"}', 'line break'],
  ])('with %s in its file is rejected, and the file is not changed', (_, text, message) => {
    const { host, folder, fileOf } = user();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(fileOf('default'), text, { mode: 0o600 });
    expect(() => read(host)).toThrow(
      expect.objectContaining({ outcome: 'usage', message: expect.stringContaining(message) }),
    );
    expect(readFileSync(fileOf('default'), 'utf8')).toBe(text);
  });

  it('must not differ from another only in letter case', () => {
    const { host } = user();
    writeProfile(host, profile('prod'));
    expect(() => writeProfile(host, profile('Prod'))).toThrow('case alone');
    expect(read(host, 'PROD').found).toBeUndefined();
  });
});

describe('without a folder for them', () => {
  it('there are no profiles, and none can be saved', () => {
    const { host } = user({ env: {} });
    expect(listProfileNames(host)).toEqual([]);
    expect(read(host).found).toBeUndefined();
    expect(removeProfile(host, 'default')).toBe(false);
    expect(() => writeProfile(host, profile())).toThrow('HOME is not set');
  });

  it.each(['/dev/null', '/proc'])('for example in %s, saving a profile is rejected with its name', (config) => {
    const { host } = user({ env: { XDG_CONFIG_HOME: config } });
    expect(read(host).found).toBeUndefined();
    expect(() => writeProfile(host, profile())).toThrow(
      expect.objectContaining({ outcome: 'usage', message: expect.stringContaining(config) }),
    );
  });
});

describe('the name of a profile', () => {
  it.each(['default', 'prod-eu_2', 'Prod', '7', 'a.b'])('may be %j', (name) => {
    expect(parseProfileName(name, '--profile')).toBe(name);
  });

  it.each(['', 'local', '.', '..', '../x', 'a/b', 'a b', '-x', '.hidden', 'ä', 'x'.repeat(65), 'a\n'])(
    'may not be %j',
    (name) => {
      expect(() => parseProfileName(name, '--profile')).toThrow(
        expect.objectContaining({ outcome: 'usage', message: expect.stringContaining('--profile') }),
      );
    },
  );
});
