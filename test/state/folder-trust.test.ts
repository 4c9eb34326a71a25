import { chmodSync, chownSync, lchownSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withRedaction } from '../../src/host/host.ts';
import { findDistrust, findUntrustedPath, type PathFacts, type UserFacts } from '../../src/state/folder-trust.ts';
import { folderWith } from '../helpers/folders.ts';
import { type HostOptions, testHost } from '../helpers/test-host.ts';

const ALICE = 1000;
const BOB = 1001;
const ROOT = 0;
const FRIENDS = 500;

const alice: UserFacts = { user: ALICE, groups: [ALICE, FRIENDS], home: { owner: ALICE, group: ALICE } };
/** OpenShift: any user id, group 0, and a HOME that the image made. */
const pod: UserFacts = { user: 1_000_650_000, groups: [0], home: { owner: 1001, group: 0 } };
const sudo: UserFacts = { user: ROOT, groups: [0], home: { owner: ALICE, group: ALICE } };
/** A container's user without a HOME of its own. */
const inTmp: UserFacts = { user: ALICE, groups: [ALICE], home: { owner: ROOT, group: ROOT } };

const own = (owner: number, mode: number, more: Partial<PathFacts> = {}): PathFacts => ({
  owner,
  group: owner,
  mode,
  role: 'folder',
  ignoresChmod: () => false,
  ...more,
});
const parent = (owner: number, mode: number, more: Partial<PathFacts> = {}) =>
  own(owner, mode, { role: 'parent', ...more });

describe('a path', () => {
  it.each<[string, PathFacts, UserFacts, ReturnType<typeof findDistrust>]>([
    ['is trusted where it is the user’s alone', own(ALICE, 0o700), alice, undefined],
    ['is trusted where others can read it', own(ALICE, 0o755), alice, undefined],
    ['of root is trusted', own(ROOT, 0o755), alice, undefined],
    ['of another user is not', own(BOB, 0o700), alice, 'owner'],
    ['of another user is not, below the user’s folder either', parent(BOB, 0o755), alice, 'owner'],
    ['that anybody can write to is not trusted', own(ALICE, 0o777), alice, 'mode'],
    ['that anybody can write to and not read is not trusted', own(ALICE, 0o702), alice, 'mode'],
    ['of root that anybody can write to is not trusted', own(ROOT, 0o777), alice, 'mode'],
    ['that is sticky and the tool’s own is not trusted: others could add files', own(ALICE, 0o1777), alice, 'mode'],
    ['that another group can write to is not trusted', own(ALICE, 0o770, { group: BOB }), alice, 'mode'],
    ['that the user’s own group can write to is (umask 002)', own(ALICE, 0o775), alice, undefined],
    ['that another group of the user can write to is', own(ALICE, 0o770, { group: FRIENDS }), alice, undefined],
    ['that group and others can write to is not', own(ALICE, 0o777, { group: FRIENDS }), alice, 'mode'],
    ['above is trusted like the folder', parent(ALICE, 0o755), alice, undefined],
    ['above that anybody can write to is not trusted', parent(ALICE, 0o777), alice, 'mode'],
    ['above that is sticky is', parent(ROOT, 0o1777), alice, undefined],
    ['above that is sticky and of another user is not', parent(BOB, 0o1777), alice, 'owner'],
    ['where chmod does nothing is trusted (WSL)', own(ALICE, 0o777, { ignoresChmod: () => true }), alice, undefined],
    ['there that is of another user is not', own(BOB, 0o777, { ignoresChmod: () => true }), alice, 'owner'],
    ['of the owner of HOME is trusted (OpenShift)', own(1001, 0o775, { group: 0 }), pod, undefined],
    ['of the pod’s user is trusted', own(1_000_650_000, 0o775, { group: 0 }), pod, undefined],
    ['of another user is not, in a pod', own(1002, 0o775, { group: 0 }), pod, 'owner'],
    ['of the invoking user is trusted (sudo)', own(ALICE, 0o700), sudo, undefined],
    ['that the group of the invoking user can write to is (sudo, umask 002)', own(ALICE, 0o775), sudo, undefined],
    ['of root is trusted (sudo)', own(ROOT, 0o700), sudo, undefined],
    ['of a third user is not (sudo)', own(BOB, 0o700), sudo, 'owner'],
    ['that another group can write to is not (sudo)', own(ALICE, 0o775, { group: FRIENDS }), sudo, 'mode'],
    ['of the user is trusted (HOME=/tmp)', own(ALICE, 0o700), inTmp, undefined],
    ['of another user is not (HOME=/tmp)', parent(BOB, 0o700), inTmp, 'owner'],
    ['counts without a HOME', own(BOB, 0o700), { ...alice, home: undefined }, 'owner'],
  ])('%s', (_, path, user, distrust) => {
    expect(findDistrust(path, user)).toBe(distrust);
  });
});

const isRoot = process.geteuid?.() === 0;

/** A user with a HOME that is the folder of the tests. */
function userAt(home: string, hostOptions: HostOptions = {}) {
  const createHost = () => withRedaction(testHost({ home, ...hostOptions }).host);
  const folder = join(home, '.local/state/formulary');
  mkdirSync(join(folder, 'history'), { recursive: true });
  for (const path of ['.local', '.local/state', '.local/state/formulary', '.local/state/formulary/history'])
    chmodSync(join(home, path), 0o755);
  return { folder, untrusted: (path = folder) => findUntrustedPath(createHost(), path) };
}

describe.runIf(process.platform !== 'win32')('a folder of the tool', () => {
  it('is trusted with usual permissions, and if it does not exist yet', () => {
    const { folder, untrusted } = userAt(folderWith());
    expect(untrusted()).toBeUndefined();
    expect(untrusted(join(dirname(folder), 'none/formulary'))).toBeUndefined();
  });

  it.each(['.local', '.local/state', '.local/state/formulary', '.local/state/formulary/history'])(
    'is not trusted if anybody can write to %s',
    (name) => {
      const home = folderWith();
      const { untrusted } = userAt(home);
      chmodSync(join(home, name), 0o777);
      expect(untrusted()).toMatchObject({ path: join(home, name), distrust: 'mode', mode: 0o777 });
      // The mode is as it was: to try whether chmod does anything left nothing behind.
      expect(statSync(join(home, name)).mode & 0o7777).toBe(0o777);
    },
  );

  it('is trusted below a sticky folder, and in a HOME that anybody can write to', () => {
    const home = folderWith();
    const { untrusted } = userAt(home);
    chmodSync(join(home, '.local'), 0o1777);
    chmodSync(home, 0o777);
    expect(untrusted()).toBeUndefined();
  });

  it('is not trusted if anybody can write to a file in it, or to the folder of a link', () => {
    const home = folderWith({ 'open/formulary/x': '' });
    const { folder, untrusted } = userAt(home);
    writeFileSync(join(folder, 'checked.json'), '');
    chmodSync(join(folder, 'checked.json'), 0o666);
    expect(untrusted()).toMatchObject({ path: join(folder, 'checked.json') });
    rmSync(folder, { recursive: true });
    symlinkSync(join(home, 'open/formulary'), folder);
    expect(untrusted()).toBeUndefined();
    chmodSync(join(home, 'open'), 0o777);
    expect(untrusted()).toMatchObject({ path: join(home, 'open') });
  });

  it('outside of HOME is judged without its parents', () => {
    const elsewhere = folderWith({ 'state/formulary/x': '' });
    const { untrusted } = userAt(folderWith());
    chmodSync(join(elsewhere, 'state'), 0o777);
    const folder = join(elsewhere, 'state/formulary');
    expect(untrusted(folder)).toBeUndefined();
    chmodSync(folder, 0o777);
    expect(untrusted(folder)).toMatchObject({ path: folder });
  });

  it('is not trusted if another user owns a part of its path', () => {
    for (const name of ['.local', '.local/state/formulary', '.local/state/formulary/history']) {
      const home = folderWith();
      // As root: really another user's. Otherwise all is this user's, and another one asks who is not the owner of HOME.
      const { folder } = userAt(home);
      if (isRoot) chownSync(join(home, name), 54_321, -1);
      const { host } = guardedHostOf(isRoot ? { home } : { user: Number(process.geteuid?.()) + 1 });
      expect(findUntrustedPath(host, folder)).toMatchObject({
        distrust: 'owner',
        ...(isRoot && { path: join(home, name) }),
      });
    }
  });

  it('is not trusted through a link of another user', () => {
    const home = folderWith();
    const { folder, untrusted } = userAt(home);
    rmSync(folder, { recursive: true });
    mkdirSync(join(home, 'mine'), { mode: 0o755 });
    symlinkSync(join(home, 'mine'), folder);
    expect(untrusted()).toBeUndefined();
    if (isRoot) lchownSync(folder, 54_321, 54_321);
    const { host } = guardedHostOf(isRoot ? { home } : { user: Number(process.geteuid?.()) + 1 });
    expect(findUntrustedPath(host, folder)).toMatchObject({ path: folder, distrust: 'owner' });
  });
});

const guardedHostOf = (hostOptions: HostOptions) => ({ host: withRedaction(testHost(hostOptions).host) });
