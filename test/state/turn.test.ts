/** Turns: one writing command at a time on one target. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardedHost, type Host } from '../../src/host.ts';
import { fingerprint } from '../../src/state/place.ts';
import { takeTurn } from '../../src/state/turn.ts';
import { folderWith } from '../helpers/folders.ts';
import { testHost } from '../helpers/test-host.ts';

const TARGET = 'https://api.example.com';
const silent = () => undefined;

function hostWith(state: string, change: Partial<Host> = {}): Host {
  return { ...guardedHost(testHost({ env: { XDG_STATE_HOME: state } }).host), ...change };
}

const turnsFolder = (state: string) => join(state, 'formulary', 'turns', fingerprint(TARGET));

/** Puts a turn with this holder where the next command looks. */
function leaveTurn(state: string, number: number, holder: string): void {
  mkdirSync(turnsFolder(state), { recursive: true, mode: 0o755 });
  writeFileSync(join(turnsFolder(state), String(number)), holder);
}

describe('takeTurn', () => {
  it('lets a second command wait until the first gives its turn back', async () => {
    const state = folderWith();
    const done = await takeTurn(hostWith(state), TARGET, silent);
    const order: string[] = [];
    let polls = 0;
    const heard: string[] = [];
    const sleep = async () => {
      polls += 1;
      if (polls < 3) return;
      order.push('first ends');
      done();
    };
    await takeTurn(hostWith(state, { sleep }), TARGET, (text) => heard.push(text));
    order.push('second begins');
    expect(order).toEqual(['first ends', 'second begins']);
    expect(heard.join()).toContain(
      `waiting for another formulary command that writes to ${TARGET}: process ${process.pid}`,
    );
  });

  it('does not wait for another target', async () => {
    const state = folderWith();
    const sleep = () => Promise.reject(new Error('it waited'));
    await takeTurn(hostWith(state), TARGET, silent);
    await expect(takeTurn(hostWith(state, { sleep }), 'https://other.example.com', silent)).resolves.toBeTypeOf(
      'function',
    );
  });

  it('never lets two of many commands in at once', async () => {
    const state = folderWith();
    let inside = 0;
    let most = 0;
    const sleep = () => new Promise<void>((next) => setImmediate(next));
    const work = async () => {
      const done = await takeTurn(hostWith(state, { sleep }), TARGET, silent);
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

  it('is void when the process that took it is gone, killed or replaced by another of its id', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((ended) => child.once('exit', ended));
    const [, , ...machine] = hostWith('/').mark().split(' ');
    const sleep = () => Promise.reject(new Error('it waited'));
    for (const holder of [`${child.pid} 1 ${machine.join(' ')}`, `${process.pid} 1 ${machine.join(' ')}`]) {
      const state = folderWith();
      leaveTurn(state, 7, holder);
      await takeTurn(hostWith(state, { sleep }), TARGET, silent);
      expect(readdirSync(turnsFolder(state)), holder).toEqual(['8']);
    }
  });

  it.each([
    ['is empty, as after a power cut', ''],
    ['holds nonsense', 'nonsense'],
  ])('is nobody’s when its file %s', async (_, text) => {
    const state = folderWith();
    const sleep = () => Promise.reject(new Error('it waited'));
    leaveTurn(state, 7, text);
    await takeTurn(hostWith(state, { sleep }), TARGET, silent);
    expect(readdirSync(turnsFolder(state))).toEqual(['8']);
  });

  it('is nobody’s when its file is a link that leads nowhere', async () => {
    const state = folderWith();
    leaveTurn(state, 1, 'free');
    symlinkSync('nowhere', join(turnsFolder(state), '7'));
    await takeTurn(hostWith(state), TARGET, silent);
    expect(readdirSync(turnsFolder(state))).toEqual(['8']);
  });

  it('of another machine is void after an hour', async () => {
    const state = folderWith();
    leaveTurn(state, 1, '12 34 elsewhere');
    const sleep = () => Promise.reject(new Error('it waited'));
    const later = () => new Date(Date.now() + 61 * 60 * 1000);
    await takeTurn(hostWith(state, { sleep, now: later }), TARGET, silent);
    expect(readdirSync(turnsFolder(state))).toEqual(['2']);
  });

  it('gives back a number that turns out to be an old one', async () => {
    const state = folderWith();
    leaveTurn(state, 1, 'free');
    // Between the look and the making, others take 2, then 3, and 1 and 2 are removed.
    let isFirst = true;
    const mark = () => {
      if (isFirst) leaveTurn(state, 3, 'free');
      isFirst = false;
      return hostWith(state).mark();
    };
    await takeTurn(hostWith(state, { mark }), TARGET, silent);
    expect(readdirSync(turnsFolder(state))).toEqual(['4']);
  });

  it('waits for a process of another machine, since nobody here can tell whether it is gone', async () => {
    const state = folderWith();
    leaveTurn(state, 1, '12 34 elsewhere');
    const sleep = async () => leaveTurn(state, 1, 'free');
    const heard: string[] = [];
    await takeTurn(hostWith(state, { sleep }), TARGET, (text) => heard.push(text));
    expect(readdirSync(turnsFolder(state))).toEqual(['2']);
  });

  it('writes files that nobody else can read', async () => {
    const state = folderWith();
    await takeTurn(hostWith(state), TARGET, silent);
    expect(statSync(join(turnsFolder(state), '1')).mode & 0o777).toBe(0o600);
    expect(statSync(join(state, 'formulary')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['there is no home', {}],
    ['the state folder is a file', { XDG_STATE_HOME: '/dev/null' }],
  ])('goes on with a warning where %s', async (_, env) => {
    const heard: string[] = [];
    const host = guardedHost(testHost({ env }).host);
    const done = await takeTurn(host, TARGET, (text) => heard.push(text));
    done();
    expect(heard.join()).toContain('another formulary command may write');
  });
});
