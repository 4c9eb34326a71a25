/** A file that several commands may change at once: changes are laid over what is there, and it is written whole. */
import { dirname } from 'node:path';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import { createMonotonicClock } from '../host/monotonic-clock.ts';
import { acquireLock } from './write-lock.ts';

export interface SharedJson<T> {
  /** What it held when it was opened, with the changes since. */
  readonly value: T;
  /** Changes the value now, and the file soon: what comes while it is being written, or was just written, goes in together. */
  change(edit: (value: T) => void): void;
  /** Resolves when all changes are in the file. Throws the file system's error that kept one out. */
  flush(): Promise<void>;
}

interface FileFormat<T> {
  /** Reads the file; one that is not there is an empty value. */
  read(): T;
  serialize(value: T): string;
  /** Mode of the file; folders that are made get the same with x. */
  mode?: number | undefined;
}

/**
 * So long a file is left alone after it was written, in milliseconds, and at least so many times as long as that took: to
 * write it whole for each of 1,000 changes costs more than they do.
 */
const MIN_WRITE_INTERVAL_MS = 250;
const WRITE_INTERVAL_FACTOR = 20;

/** What was done is noted also after Ctrl-C, unless another command holds the file for as long. */
const GRACE_MS = 2000;

/** Opens a file that may not be there yet. Throws what `read` throws. */
export function openSharedJson<T>(host: Host, file: string, { read, serialize, mode }: FileFormat<T>): SharedJson<T> {
  const value = read();
  let pending: ((value: T) => void)[] = [];
  let writing: Promise<void> | undefined;
  let failure: unknown;
  const now = createMonotonicClock(host.now);
  let nextWriteAt = 0;
  let flushNow = new AbortController();

  const writePending = async () => {
    makeFolders(dirname(file), mode === undefined ? undefined : mode | 0o100);
    while (pending.length > 0) {
      const delayMs = nextWriteAt - now().getTime();
      if (delayMs > 0 && !flushNow.signal.aborted) await host.sleep(delayMs, flushNow.signal);
      const release = await acquireLock(host, file, {
        warn: undefined,
        abortSignal: host.abortSignal,
        graceMs: GRACE_MS,
      });
      const edits = pending;
      pending = [];
      const startedAt = now().getTime();
      try {
        const current = read();
        for (const edit of edits) edit(current);
        writeFileAtomic(file, serialize(current), mode);
      } finally {
        const endedAt = now().getTime();
        nextWriteAt = endedAt + Math.max(MIN_WRITE_INTERVAL_MS, WRITE_INTERVAL_FACTOR * (endedAt - startedAt));
        release();
      }
    }
  };

  return {
    value,
    change: (edit) => {
      edit(value);
      pending.push(edit);
      writing ??= writePending()
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => {
          writing = undefined;
        });
    },
    flush: async () => {
      flushNow.abort();
      await writing;
      flushNow = new AbortController();
      if (failure !== undefined) throw failure;
    },
  };
}
