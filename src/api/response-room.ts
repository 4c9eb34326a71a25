/** The room for the bytes of responses that requests at one time share: eight small bodies may unpack to a gigabyte. */

export interface Reading {
  /** Takes room for more bytes. Throws, with a code as Node.js has it, where there is not so much. */
  take(bytes: number): void;
  left(): number;
  /** Gives the room back, once those who wait for the response have used it. */
  end(): void;
}

/** Makes a function that begins to read one response. */
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
