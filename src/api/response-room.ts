/** A memory limit that concurrent responses share: eight small compressed bodies may expand to a gigabyte. */

export interface Reading {
  /** Reserves more bytes. Throws with code ERR_BUFFER_TOO_LARGE above the limit. */
  take(bytes: number): void;
  left(): number;
  /** Releases the bytes after the response was parsed. */
  end(): void;
}

/** Returns a function that starts reading one response. */
export function shareRoom(size: number): () => Reading {
  let left = size;
  return () => {
    let taken = 0;
    return {
      take: (bytes) => {
        if (bytes > left)
          throw Object.assign(new Error('the responses are too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
        left -= bytes;
        taken += bytes;
      },
      left: () => left,
      end: () => {
        // It is parsed within two turns of the event loop.
        setImmediate(() => setImmediate(() => setImmediate(() => (left += taken))));
      },
    };
  };
}
