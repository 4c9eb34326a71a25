/** The write lock: one writing command at a time on one target. */
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Host, withRedaction } from '../../src/host/host.ts';
import { openSharedJson } from '../../src/state/shared-json.ts';
import { acquireLock } from '../../src/state/write-lock.ts';
import { shortHash } from '../../src/state/xdg-paths.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';
import { virtualClock } from '../helpers/virtual-clock.ts';

const TARGET = 'https://api.example.com';
const ELSEWHERE = '12 34 elsewhere';

function hostWith(state: string, change: Partial<Host> = {}): Host {
  return { ...withRedaction(testHost({ env: { XDG_STATE_HOME: state } }).host), ...change };
}

/** Acquires the lock; `heard` gets the messages. */
const take = (host: Host, heard: string[] = [], target = TARGET) =>
  acquireLock(host, target, { warn: (text) => heard.push(text), abortSignal: host.abortSignal });

const lockFile = (state: string) => join(state, 'formulary/write-locks', shortHash(TARGET));

/** Writes a lock of this holder for the next command; returns its file. */
function leaveLock(state: string, holder: string): string {
  const file = lockFile(state);
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  writeFileSync(file, holder, { mode: 0o600 });
  return file;
}

const here = () => hostWith('/').getProcessIdentity().split(' ').slice(2).join(' ');

const noWait = () => Promise.reject(new Error('it waited'));

describe('acquireLock', () => {
  it('makes a second command wait until the first releases it', async () => {
    const state = folderWith();
    const done = await take(hostWith(state));
    const order: string[] = [];
    let polls = 0;
    const heard: string[] = [];
    const sleep = async () => {
      polls += 1;
      if (polls < 3) return;
      order.push('first ends');
      done();
    };
    await take(hostWith(state, { sleep }), heard);
    order.push('second begins');
    expect(order).toEqual(['first ends', 'second begins']);
    expect(heard).toEqual([
      `waiting for another formulary command that writes to ${TARGET}: process ${process.pid} on ${here().split(' ')[0]}; if it is not running, delete ${lockFile(state)}`,
    ]);
  });

  it('does not wait for another target', async () => {
    const state = folderWith();
    await take(hostWith(state));
    await expect(take(hostWith(state, { sleep: noWait }), [], 'https://other.example.com')).resolves.toBeTypeOf(
      'function',
    );
  });

  it('never lets two of many commands in at once', async () => {
    const state = folderWith();
    let inside = 0;
    let most = 0;
    const sleep = () => new Promise<void>((next) => setImmediate(next));
    const work = async () => {
      const done = await take(hostWith(state, { sleep }));
      inside += 1;
      most = Math.max(most, inside);
      await sleep();
      inside -= 1;
      done();
    };
    await Promise.all(Array.from({ length: 40 }, work));
    expect(most).toBe(1);
    expect(readdirSync(dirname(lockFile(state)))).toEqual([]);
  });

  it('is released if its process has ended, was killed, or its id is reused', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((ended) => child.once('exit', ended));
    for (const holder of [`${child.pid} 1 ${here()}`, `${process.pid} 1 ${here()}`]) {
      const state = folderWith();
      const file = leaveLock(state, holder);
      await take(hostWith(state, { sleep: noWait }));
      expect(readFileSync(file, 'utf8')).toBe(hostWith(state).getProcessIdentity());
    }
  });

  it('is not released by a command that lost it', async () => {
    const state = folderWith();
    const done = await take(hostWith(state));
    const file = leaveLock(state, ELSEWHERE);
    done();
    expect(readFileSync(file, 'utf8')).toBe(ELSEWHERE);
  });

  it('writes files that only this user can read', async () => {
    const state = folderWith();
    await take(hostWith(state));
    expect(statSync(lockFile(state)).mode & 0o777).toBe(0o600);
    expect(statSync(join(state, 'formulary')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['there is no home', {}],
    ['the state folder is a file', { XDG_STATE_HOME: '/dev/null' }],
  ])('continues with a warning if %s', async (_, env) => {
    const heard: string[] = [];
    const done = await take(withRedaction(testHost({ env }).host), heard);
    done();
    expect(heard.join()).toContain('concurrent runs and later remote changes are not detected');
  });
});

/** A host with a clock that passes only while all is asleep. */
function timed(state: string, change: Partial<Host> = {}) {
  const clock = virtualClock();
  const repeat = (milliseconds: number, work: () => void) => {
    let isOn = true;
    void (async () => {
      for (await clock.sleep(milliseconds); isOn; await clock.sleep(milliseconds)) work();
    })();
    return () => {
      isOn = false;
    };
  };
  return { clock, host: hostWith(state, { now: clock.now, sleep: clock.sleep, runEvery: repeat, ...change }) };
}

describe('a lock of a process that cannot be checked', () => {
  const KINDS: Record<string, (file: string) => void> = {
    'of another computer': (file) => writeFileSync(file, ELSEWHERE),
    'of another container of this name': (file) => writeFileSync(file, `12 34 ${here().split(' ')[0]} pid:[1]`),
    'without its start': (file) => writeFileSync(file, `${process.pid} ? ${here()}`),
    'from long ago': (file) => {
      writeFileSync(file, ELSEWHERE);
      utimesSync(file, 1, 1);
    },
    'that is empty, as after a power cut': (file) => writeFileSync(file, ''),
    'that is a link': (file) => symlinkSync('nowhere', file),
    'that is a folder with files': (file) => mkdirSync(join(file, 'a'), { recursive: true }),
    'that is huge': (file) => {
      writeFileSync(file, ELSEWHERE);
      truncateSync(file, 2 ** 40);
    },
  };

  it.each(Object.entries(KINDS))('%s is awaited until it has not been renewed for 30 s', async (_, create) => {
    const state = folderWith();
    const file = lockFile(state);
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    create(file);
    const { clock, host } = timed(state);
    const heard: string[] = [];
    await clock.run(take(host, heard));
    expect(clock.ms).toBe(30_000);
    expect(heard).toEqual([
      expect.stringMatching(
        /^waiting for another .*: (process \d+ on \S+|an unknown process); if it is not running, delete .*$/,
      ),
      expect.stringMatching(
        /^warning: (process \d+ on \S+|an unknown process) has not renewed the lock .* for 30 s; continuing without waiting for it$/,
      ),
    ]);
    for (const text of heard) expect(text).toContain(file);
    expect(readFileSync(file, 'utf8')).toBe(host.getProcessIdentity());
  });

  it('is awaited as long as it is renewed', async () => {
    const state = folderWith();
    const { clock, host } = timed(state, { getProcessIdentity: () => ELSEWHERE });
    const done = await take(host);
    const heard: string[] = [];
    const waiting = take({ ...host, getProcessIdentity: hostWith('/').getProcessIdentity }, heard);
    const ending = clock.sleep(100_000).then(done);
    await clock.run(Promise.all([waiting, ending]));
    expect(clock.ms).toBeGreaterThanOrEqual(100_000);
    expect(clock.ms).toBeLessThan(101_000);
    expect(heard).toEqual([expect.stringMatching(/^waiting for/)]);
  });

  it('goes to one of two that wait for it', async () => {
    const state = folderWith();
    leaveLock(state, ELSEWHERE);
    const { clock, host } = timed(state);
    let holders = 0;
    const hold = async () => {
      const done = await take(host);
      holders += 1;
      expect(holders).toBe(1);
      await clock.sleep(1000);
      holders -= 1;
      done();
    };
    await clock.run(Promise.all([hold(), hold(), hold()]));
    expect(clock.ms).toBeGreaterThanOrEqual(33_000);
  });

  it('of this computer is awaited without a limit while its process runs', async () => {
    const state = folderWith();
    const file = leaveLock(state, hostWith('/').getProcessIdentity());
    const { clock, host } = timed(state);
    const ending = clock.sleep(300_000).then(() => rmSync(file));
    await clock.run(Promise.all([take(host), ending]));
    expect(clock.ms).toBeGreaterThanOrEqual(300_000);
  });
});

describe('a command that waits for the lock', () => {
  it('ends on a signal, and writes nothing', async () => {
    const state = folderWith();
    const file = leaveLock(state, hostWith('/').getProcessIdentity());
    const controller = new AbortController();
    let polls = 0;
    const sleep = async () => {
      polls += 1;
      if (polls === 5) controller.abort('SIGTERM');
    };
    const stopped = take(hostWith(state, { sleep, abortSignal: controller.signal }));
    await expect(stopped).rejects.toMatchObject({ outcome: 'interrupted' });
    expect(polls).toBe(5);
    expect(statSync(file).size).toBeGreaterThan(0);
  });

  it.each([
    ['and notes it when the file is free', 1000, 'done'],
    ['and gives up where the file is not', undefined, ''],
  ])('waits 2 s for a file that records completed writes, even after a signal, %s', async (_, freeAt, text) => {
    const [file, state] = [join(folderWith({ noted: '' }), 'noted'), folderWith()];
    const done = await acquireLock(hostWith(state), file, {
      warn: undefined,
      abortSignal: new AbortController().signal,
    });
    const { clock, host } = timed(state, { abortSignal: AbortSignal.abort('SIGINT') });
    if (freeAt !== undefined) void clock.sleep(freeAt).then(done);
    const shared = openSharedJson(host, file, { read: () => [''], serialize: (lines) => lines.join('') });
    shared.change((lines) => lines.push('done'));
    const saved = clock.run(shared.flush());
    if (freeAt === undefined) await expect(saved).rejects.toMatchObject({ outcome: 'interrupted' });
    else await saved;
    expect(clock.ms).toBeLessThanOrEqual(2100);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
