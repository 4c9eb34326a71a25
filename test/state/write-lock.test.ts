/** Turns: one writing command at a time on one target. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Host, withRedaction } from '../../src/host/host.ts';
import { openSharedJson } from '../../src/state/shared-json.ts';
import { acquireLock } from '../../src/state/write-lock.ts';
import { findHolder } from '../../src/state/write-lock-files.ts';
import { shortHash } from '../../src/state/xdg-paths.ts';
import { folderWith } from '../helpers/folders.ts';
import { openFolder } from '../helpers/ordinary-user.ts';
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

const turnsFolder = (state: string) => join(state, 'formulary', 'turns', shortHash(TARGET));

/** Writes a lock of this holder for the next command; returns its file. */
function leaveTurn(state: string, number: number, holder: string): string {
  mkdirSync(turnsFolder(state), { recursive: true, mode: 0o755 });
  const file = join(turnsFolder(state), String(number));
  writeFileSync(file, holder, { mode: 0o600 });
  return file;
}

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
      `waiting for another formulary command that writes to ${TARGET}: process ${process.pid} on ${hostWith('/').getProcessIdentity().split(' ')[2]}; if it is not running, delete ${join(turnsFolder(state), '1')}`,
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
    expect(readdirSync(turnsFolder(state))).toEqual(['40']);
  });

  it('is released if its process has ended, was killed, or its id is reused', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((ended) => child.once('exit', ended));
    const [, , ...machine] = hostWith('/').getProcessIdentity().split(' ');
    for (const holder of [`${child.pid} 1 ${machine.join(' ')}`, `${process.pid} 1 ${machine.join(' ')}`]) {
      const state = folderWith();
      leaveTurn(state, 7, holder);
      await take(hostWith(state, { sleep: noWait }));
      expect(readdirSync(turnsFolder(state)), holder).toEqual(['8']);
    }
  });

  it('releases a number that turns out to be old', async () => {
    const state = folderWith();
    leaveTurn(state, 1, 'free');
    // Between the look and the making, others take 2, then 3, and 1 and 2 are removed.
    let isFirst = true;
    const mark = () => {
      if (isFirst) leaveTurn(state, 3, 'free');
      isFirst = false;
      return hostWith(state).getProcessIdentity();
    };
    await take(hostWith(state, { getProcessIdentity: mark }));
    expect(readdirSync(turnsFolder(state))).toEqual(['4']);
  });

  it('writes files that only this user can read', async () => {
    const state = folderWith();
    await take(hostWith(state));
    expect(statSync(join(turnsFolder(state), '1')).mode & 0o777).toBe(0o600);
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

describe.runIf(process.platform !== 'win32')('a file in the folder that is not a lock', () => {
  const OTHER = { 'mark.txt': '' };
  const KINDS: Record<string, (file: string) => void> = {
    'that is empty, as after a power cut': (file) => writeFileSync(file, ''),
    'that holds nonsense': (file) => writeFileSync(file, 'nonsense'),
    'with the id of no process': (file) =>
      writeFileSync(file, `0 ? ${hostWith('/').getProcessIdentity().split(' ').slice(2).join(' ')}`),
    'that is a link to what would be one': (file) => {
      writeFileSync(`${file}.mark`, ELSEWHERE);
      symlinkSync(`${file}.mark`, file);
    },
    'that is a broken link': (file) => symlinkSync('nowhere', file),
    'that is a link to itself': (file) => symlinkSync(file, file),
    'that is a named pipe': (file) => execFileSync('mkfifo', [file]),
    'that is a folder': (file) => mkdirSync(file),
    'that is a folder with files': (file) => {
      for (const name of Object.keys(OTHER)) {
        mkdirSync(file);
        writeFileSync(join(file, name), '');
      }
    },
    'that is a link to a folder': (file) => symlinkSync(folderWith(OTHER), file),
    'that is huge': (file) => {
      writeFileSync(file, ELSEWHERE);
      truncateSync(file, 2 ** 40);
    },
    'that others can write to': (file) => {
      writeFileSync(file, ELSEWHERE);
      chmodSync(file, 0o666);
    },
  };
  const NUMBERS = ['7', '999999999999', '999999999999999', '9'.repeat(200)];

  it.each(Object.entries(KINDS))('%s is ignored, whatever its number', async (_, make) => {
    for (const number of NUMBERS) {
      const state = folderWith();
      leaveTurn(state, 1, 'free');
      make(join(turnsFolder(state), number));
      let polls = 0;
      const sleep = async () => {
        polls += 1;
        if (polls > 2) throw new Error('it waited');
      };
      const heard: string[] = [];
      const done = await take(hostWith(state, { sleep }), heard);
      expect(heard).toEqual([]);
      // It has the turn: the next command waits until it ends.
      let waited = 0;
      const wait = async () => {
        waited += 1;
        done();
      };
      await take(hostWith(state, { sleep: wait }));
      expect({ number, waited }).toEqual({ number, waited: 1 });
    }
  });
});

/** A world with a clock that passes only while all is asleep. */
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
  it.each([
    ['of another computer', () => ELSEWHERE],
    ['of another container of this name', () => `12 34 ${hostWith('/').getProcessIdentity().split(' ')[2]} pid:[1]`],
    ['of an earlier version', () => `12 34 ${hostWith('/').getProcessIdentity().split(' ')[2]} of old`],
    ['without its start', () => `${process.pid} ? ${hostWith('/').getProcessIdentity().split(' ').slice(2).join(' ')}`],
  ])('%s is awaited until it has not been renewed for 30 s', async (_, mark) => {
    const state = folderWith();
    const file = leaveTurn(state, 1, mark());
    const { clock, host } = timed(state);
    const heard: string[] = [];
    await clock.run(take(host, heard));
    expect(clock.ms).toBe(30_000);
    expect(heard).toEqual([
      expect.stringMatching(
        /^waiting for another .*: process \d+ on \S+; if it does not renew .* within 30 s, it is no longer waited for$/,
      ),
      expect.stringMatching(
        /^warning: process \d+ on \S+ has not renewed the lock .* for 30 s; continuing without waiting for it$/,
      ),
    ]);
    for (const text of heard) expect(text).toContain(file);
    expect(readdirSync(turnsFolder(state))).toEqual(['2']);
  });

  it.each(['1970-01-02', '2099-01-01'])('is awaited as long if its file is from %s', async (day) => {
    const state = folderWith();
    const file = leaveTurn(state, 1, ELSEWHERE);
    utimesSync(file, new Date(day), new Date(day));
    const { clock, host } = timed(state);
    await clock.run(take(host));
    expect(clock.ms).toBe(30_000);
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

  it('is no longer renewed after its end', async () => {
    const state = folderWith();
    const { clock, host } = timed(state);
    const done = await take(host);
    done();
    const file = join(turnsFolder(state), '1');
    utimesSync(file, 1, 1);
    await clock.run(clock.sleep(20_000));
    expect(statSync(file).mtimeMs).toBe(1000);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it('of this computer is awaited without a limit while its process runs', async () => {
    const state = folderWith();
    const file = leaveTurn(state, 1, hostWith('/').getProcessIdentity());
    const { clock, host } = timed(state);
    const ending = clock.sleep(300_000).then(() => truncateSync(file));
    await clock.run(Promise.all([take(host), ending]));
    expect(clock.ms).toBeGreaterThanOrEqual(300_000);
  });

  it('of root is recognized by its file name if it cannot be read', () => {
    const folder = openFolder();
    const file = join(folder, '1');
    writeFileSync(file, ELSEWHERE, { mode: 0o600 });
    const isRoot = process.geteuid?.() === 0;
    // Root reads everything, and so becomes another user for a moment; an ordinary user takes the right from itself.
    if (isRoot) process.seteuid?.(54_321);
    else chmodSync(file, 0o000);
    try {
      expect(findHolder(file, hostWith('/', { userId: process.geteuid?.() }))).toMatchObject({
        processIdentity: undefined,
        isConfirmedRunning: false,
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

describe('a command that waits for the lock', () => {
  it('ends on a signal, and writes nothing', async () => {
    const state = folderWith();
    leaveTurn(state, 1, hostWith('/').getProcessIdentity());
    const controller = new AbortController();
    let polls = 0;
    const sleep = async () => {
      polls += 1;
      if (polls === 5) controller.abort('SIGTERM');
    };
    const stopped = take(hostWith(state, { sleep, abortSignal: controller.signal }));
    await expect(stopped).rejects.toMatchObject({ outcome: 'interrupted' });
    expect(polls).toBe(5);
    expect(readdirSync(turnsFolder(state))).toEqual(['1']);
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
