/** Which formula a folder is: where that is read and written. */
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withRedaction } from '../../src/host/host.ts';
import { openLinks } from '../../src/sync/links.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const hostWith = (state: string) => withRedaction(testHost({ env: { XDG_STATE_HOME: state } }).host);
const STAGING = { name: 'staging', isShared: true };
const LOOPBACK = { name: 'http://127.0.0.1:8080', isShared: false };

const lockText = (entries: Record<string, string>, target = 'staging') =>
  JSON.stringify({
    version: 1,
    targets: { [target]: Object.fromEntries(Object.entries(entries).map(([folder, id]) => [folder, { id }])) },
  });

describe('links', () => {
  it('are rejected if the lock files of a run have too many entries in all', () => {
    const many = (prefix: string) =>
      lockText(Object.fromEntries(Array.from({ length: 50_001 }, (_, i) => [`${prefix}${i}`, `${prefix}${i}`])));
    const root = folderWith({ '.git/HEAD': '', 'a/formulas.lock.json': many('a'), 'b/formulas.lock.json': many('b') });
    const open = (paths: string[]) => openLinks(paths, STAGING, hostWith(folderWith()), { searchBelow: 'strict' });
    expect(() => open([root])).toThrow('must have at most 100000 entries in all');
  });

  it('are read from and written to the lock file above, for one target', async () => {
    const root = folderWith({
      '.git/HEAD': '',
      'formulas.lock.json': lockText({ 'a/card': '1' }, 'production'),
      'a/card/manifest.json': '',
    });
    const identities = openLinks([join(root, 'a')], STAGING, hostWith(folderWith()));
    expect(identities.ids.size).toBe(0);
    identities.link(join(root, 'a/card'), '2');
    expect(identities.ids.get(join(root, 'a/card'))).toBe('2');
    await identities.flush();
    expect(JSON.parse(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).targets).toEqual({
      production: { 'a/card': { id: '1' } },
      staging: { 'a/card': { id: '2' } },
    });
    identities.unlink(join(root, 'a/card'));
    await identities.flush();
    expect(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).not.toContain('staging');
  });

  it('of several paths are in the lock file of their own path', async () => {
    const root = folderWith({
      '.git/HEAD': '',
      'formulas.lock.json': lockText({}),
      'a/x/manifest.json': '',
      'b/formulas.lock.json': lockText({}),
      'b/x/manifest.json': '',
    });
    const identities = openLinks([join(root, 'a'), join(root, 'b')], STAGING, hostWith(folderWith()));
    identities.link(join(root, 'a/x'), '1');
    identities.link(join(root, 'b/x'), '2');
    await identities.flush();
    expect(JSON.parse(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).targets.staging).toEqual({
      'a/x': { id: '1' },
    });
    expect(JSON.parse(readFileSync(join(root, 'b/formulas.lock.json'), 'utf8')).targets.staging).toEqual({
      x: { id: '2' },
    });
  });

  it('of a local service are stored in the state folder, not in the project', async () => {
    const [root, state] = [folderWith({ 'card/manifest.json': '' }), folderWith()];
    const identities = openLinks([root], LOOPBACK, hostWith(state));
    identities.link(join(root, 'card'), '1');
    await identities.flush();
    expect(readdirSync(root)).toEqual(['card']);
    const { ids, files } = openLinks([root], LOOPBACK, hostWith(state));
    expect(ids.get(join(root, 'card'))).toBe('1');
    expect(files).toEqual([expect.stringContaining(join(state, 'formulary/locks/'))]);
  });

  it('in the state folder are for this user only', async () => {
    const [root, state] = [folderWith({ 'card/manifest.json': '' }), folderWith()];
    const identities = openLinks([root], LOOPBACK, hostWith(state));
    identities.link(join(root, 'card'), '1');
    await identities.flush();
    const folder = join(state, 'formulary/locks');
    const [file = ''] = readdirSync(folder);
    expect([folder, join(folder, file)].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
      '700',
      '600',
    ]);
  });

  it.runIf(process.platform !== 'win32')(
    'in the state folder are not read if others could have written them',
    async () => {
      const [root, state] = [folderWith({ 'card/manifest.json': '' }), folderWith()];
      const identities = openLinks([root], LOOPBACK, hostWith(state));
      identities.link(join(root, 'card'), '1');
      await identities.flush();
      const folder = join(state, 'formulary/locks');
      const file = join(folder, readdirSync(folder)[0] ?? '');
      if (process.geteuid?.() === 0) chownSync(file, 54_321, 54_321);
      else chmodSync(file, 0o666);
      expect(() => openLinks([root], LOOPBACK, hostWith(state))).toThrow(
        expect.objectContaining({
          outcome: 'usage',
          message: expect.stringContaining(file),
          hint: expect.stringContaining(file),
        }),
      );
      rmSync(file);
      symlinkSync('elsewhere', file);
      expect(() => openLinks([root], LOOPBACK, hostWith(state))).toThrow(expect.objectContaining({ outcome: 'usage' }));
    },
  );

  it('create no lock file if only an existing one may be used', async () => {
    const root = folderWith({ '.git/HEAD': '', 'card/manifest.json': '' });
    const identities = openLinks([join(root, 'card')], STAGING, hostWith(folderWith()), { onlyExisting: true });
    identities.link(join(root, 'card'), '1');
    await identities.flush();
    expect(existsSync(join(root, 'formulas.lock.json'))).toBe(false);
  });

  it('are not written without a change', async () => {
    const text = lockText({ card: '1' });
    const root = folderWith({ 'formulas.lock.json': text, 'card/manifest.json': '' });
    const identities = openLinks([root], STAGING, hostWith(folderWith()));
    identities.link(join(root, 'card'), '1');
    identities.unlink(join(root, 'other'));
    await identities.flush();
    expect(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).toBe(text);
  });

  it('of a folder are read from the lock file with its entry, whichever path is passed', async () => {
    const root = folderWith({
      '.git/HEAD': '',
      'formulas.lock.json': lockText({}),
      'a/formulas.lock.json': lockText({ x: '1' }),
      'a/x/manifest.json': '',
      'b/x/manifest.json': '',
    });
    const folders = [join(root, 'a/x'), join(root, 'b/x')];
    const identities = openLinks([root], STAGING, hostWith(folderWith()), { folders });
    expect(identities.ids).toEqual(new Map([[join(root, 'a/x'), '1']]));
    identities.link(join(root, 'a/x'), '2');
    identities.link(join(root, 'b/x'), '3');
    await identities.flush();
    expect(readFileSync(join(root, 'a/formulas.lock.json'), 'utf8')).toContain('"x": {"id":"2"}');
    expect(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).toContain('"b/x": {"id":"3"}');
  });

  it.each([
    ['a folder', { 'a/x': '1' }, { x: '2' }, 'the folder'],
    ['an id', { y: 'A1' }, { x: 'a1' }, 'the id a1'],
  ])('are rejected if two lock files of one target have %s, with both files', (_, above, below, what) => {
    const root = folderWith({
      '.git/HEAD': '',
      'formulas.lock.json': lockText(above),
      'a/formulas.lock.json': lockText(below),
      'a/x/manifest.json': '',
    });
    const open = () => openLinks([join(root, 'a')], STAGING, hostWith(folderWith()));
    expect(open).toThrow(expect.objectContaining({ outcome: 'invalid', message: expect.stringContaining(what) }));
    expect(open).toThrow(join(root, 'formulas.lock.json'));
    expect(open).toThrow(join(root, 'a/formulas.lock.json'));
  });

  it.each([
    ['letter case', 'Card', 'card'],
    ['Unicode form', 'caf\u00e9', 'cafe\u0301'],
  ])('follow a folder that was renamed in %s only', async (_, before, after) => {
    const root = folderWith({
      '.git/HEAD': '',
      'formulas.lock.json': lockText({ [before]: '1' }),
      [`${after}/manifest.json`]: '',
    });
    const folder = join(root, after);
    const identities = openLinks([root], STAGING, hostWith(folderWith()), { folders: [folder] });
    expect(identities.ids).toEqual(new Map([[folder, '1']]));
    identities.link(folder, '1');
    await identities.flush();
    const { staging } = JSON.parse(readFileSync(join(root, 'formulas.lock.json'), 'utf8')).targets;
    expect(staging).toEqual({ [after]: { id: '1' } });
  });

  it('of other projects in the current folder are skipped if they are invalid', () => {
    const root = folderWith({
      'a/formulas.lock.json': lockText({ x: '1' }),
      'b/formulas.lock.json': '',
      'copy/formulas.lock.json': lockText({ x: '1' }),
    });
    const identities = openLinks([root], STAGING, hostWith(folderWith()), { searchBelow: 'lenient' });
    expect([...identities.ids].sort()).toEqual([
      [join(root, 'a/x'), '1'],
      [join(root, 'copy/x'), '1'],
    ]);
    const open = () => openLinks([root], STAGING, hostWith(folderWith()), { searchBelow: 'strict' });
    expect(open).toThrow('b/formulas.lock.json:1:1');
  });
});
