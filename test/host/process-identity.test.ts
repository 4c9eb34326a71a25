/** How processes know of one another. */
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { processIdentity } from '../../src/host/process-identity.ts';

const { getProcessIdentity, isAlive } = processIdentity;

describe('the mark of a process', () => {
  const [pid = '', start = '', ...machine] = getProcessIdentity().split(' ');
  const here = machine.join(' ');

  it('tells that it is running, where the system says when it started', () => {
    expect(isAlive(getProcessIdentity())).toBe(process.platform === 'linux' ? true : undefined);
  });

  it('tells that it is gone, or that another has its id', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((ended) => child.once('exit', ended));
    expect(isAlive(`${child.pid} ${start} ${here}`)).toBe(false);
    if (process.platform === 'linux') expect(isAlive(`${pid} ${Number(start) - 1} ${here}`)).toBe(false);
  });

  it.each([`${pid} ${start} elsewhere`, `${pid} ${start} ${machine[0]} pid:[1]`, `${pid} ? ${here}`])(
    'tells nothing as %s: of another computer or container, or without its start',
    (other) => {
      expect(isAlive(other)).toBeUndefined();
    },
  );

  it.each(['0', '-1', '01', '1e3', 'x', ''])('is of no process with the id %j', (id) => {
    expect(isAlive(`${id} ${start} ${here}`)).toBe(false);
  });
});
