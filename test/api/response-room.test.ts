/** Responses that arrive at one time have no more bytes together than one may have. */
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decompress } from '../../src/api/http/decompress.ts';
import { shareRoom } from '../../src/api/response-room.ts';

it('is shared, and released after a response is used', async () => {
  const begin = shareRoom(10);
  const [one, other] = [begin(), begin()];
  one.take(6);
  expect(() => other.take(5)).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }));
  other.take(4);
  one.end();
  expect(other.left()).toBe(0);
  for (let turn = 0; turn < 4; turn++) await setImmediate();
  expect(other.left()).toBe(6);
});

it('applies to the decompressed size of a body', () => {
  const reading = shareRoom(1000)();
  reading.take(600);
  const bomb = gzipSync(Buffer.alloc(500));
  expect(() => decompress(bomb, 'gzip', reading.left())).toThrow(
    expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }),
  );
});
