/** The real host, as far as tests can have it in their own process. */
import { describe, expect, it } from 'vitest';
import { processHost } from '../../src/host/process-host.ts';

describe('the host', () => {
  it('repeats work until it is stopped', async () => {
    let count = 0;
    await new Promise<void>((done) => {
      const end = processHost().runEvery(1, () => {
        count += 1;
        if (count < 3) return;
        end();
        done();
      });
    });
    await new Promise((turn) => setImmediate(turn));
    expect(count).toBe(3);
  });
});
