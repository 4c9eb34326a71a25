/** Responses that arrive at one time have no more bytes together than one may have. */
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decompress } from '../../src/api/http/decompress.ts';
import { createMemoryBudget } from '../../src/api/memory-budget.ts';

it('is shared, and released after a response is used', async () => {
  const openReservation = createMemoryBudget(10);
  const [one, other] = [openReservation(), openReservation()];
  one.reserve(6);
  expect(() => other.reserve(5)).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }));
  other.reserve(4);
  one.release();
  expect(other.remaining()).toBe(0);
  for (let turn = 0; turn < 4; turn++) await setImmediate();
  expect(other.remaining()).toBe(6);
});

it('applies to the decompressed size of a body', () => {
  const reservation = createMemoryBudget(1000)();
  reservation.reserve(600);
  const bomb = gzipSync(Buffer.alloc(500));
  expect(() => decompress(bomb, 'gzip', reservation.remaining())).toThrow(
    expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }),
  );
});
