/** A JSON file that several commands may change at the same time: each applies its changes to the current content. */
import { dirname } from 'node:path';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import { createMonotonicClock } from '../host/monotonic-clock.ts';
import { acquireLock } from './write-lock.ts';

export interface SharedJson<T> {
  /** The content when it was opened, with the changes since. */
  readonly value: T;
  /** Changes the value now, and the file soon; changes during or just after a write are written together. */
  change(edit: (value: T) => void): void;
  /** Resolves when all changes are written. Throws the file system's error. */
  flush(): Promise<void>;
}

interface FileFormat<T> {
  /** Reads the file; a missing one is an empty value. */
  read(): T;
  serialize(value: T): string;
  /** Mode of the file; new folders get the same, and x. */
  mode?: number | undefined;
}

/** Minimum interval between two writes, also as a multiple of the time of a write: 1,000 changes must not write it 1,000 times. */
const MIN_WRITE_INTERVAL_MS = 250;
const WRITE_INTERVAL_FACTOR = 20;

/** After Ctrl-C, how long to wait for another command that has locked the file, so that changes are not lost. */
const GRACE_MS = 2000;

/** Opens a file, which need not exist. Throws the errors of `read`. */
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
