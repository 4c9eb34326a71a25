/** A memory limit that concurrent responses share: eight small compressed bodies may expand to a gigabyte. */

export interface MemoryReservation {
  /** Reserves more bytes. Throws with code ERR_BUFFER_TOO_LARGE above the limit. */
  reserve(bytes: number): void;
  /** The bytes that can still be reserved. */
  remaining(): number;
  /** Releases the bytes after the response was parsed. */
  release(): void;
}

/** Returns a function that opens the reservation of one response. */
export function createMemoryBudget(size: number): () => MemoryReservation {
  let remaining = size;
  return () => {
    let reserved = 0;
    return {
      reserve: (bytes) => {
        if (bytes > remaining)
          throw Object.assign(new Error('the responses are too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
        remaining -= bytes;
        reserved += bytes;
      },
      remaining: () => remaining,
      release: () => {
        // It is parsed within two turns of the event loop.
        setImmediate(() => setImmediate(() => setImmediate(() => (remaining += reserved))));
      },
    };
  };
}
