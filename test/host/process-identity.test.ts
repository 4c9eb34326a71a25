import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { processIdentity } from '../../src/host/process-identity.ts';

const { getProcessIdentity, isAlive } = processIdentity;

describe('the identity of a process', () => {
  const [pid = '', start = '', ...machine] = getProcessIdentity().split(' ');
  const here = machine.join(' ');

  it('is running, if the system reports when it started', () => {
    expect(isAlive(getProcessIdentity())).toBe(process.platform === 'linux' ? true : undefined);
  });

  it('is not running, or another process has its id', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((ended) => child.once('exit', ended));
    expect(isAlive(`${child.pid} ${start} ${here}`)).toBe(false);
    if (process.platform === 'linux') expect(isAlive(`${pid} ${Number(start) - 1} ${here}`)).toBe(false);
  });

  it.each([`${pid} ${start} elsewhere`, `${pid} ${start} ${machine[0]} pid:[1]`, `${pid} ? ${here}`])(
    'is unknown as %s: of another computer or container, or without its start time',
    (other) => {
      expect(isAlive(other)).toBeUndefined();
    },
  );

  it.each(['0', '-1', '01', '1e3', 'x', ''])('does not exist for the id %j', (id) => {
    expect(isAlive(`${id} ${start} ${here}`)).toBe(false);
  });
});
