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

/** After Ctrl-C, how long to wait for another command that has locked the file, so that changes are not lost. */
const GRACE_MS = 2000;

/** Opens a file, which need not exist. Throws the errors of `read`. */
export function openSharedJson<T>(host: Host, file: string, { read, serialize, mode }: FileFormat<T>): SharedJson<T> {
  const value = read();
  const { waitForNext, measure } = createWriteInterval(host);
  let pending: ((value: T) => void)[] = [];
  let writing: Promise<void> | undefined;
  let failure: unknown;
  let flushNow = new AbortController();

  const writePending = async () => {
    makeFolders(dirname(file), mode === undefined ? undefined : mode | 0o100);
    while (pending.length > 0) {
      if (!flushNow.signal.aborted) await waitForNext(flushNow.signal);
      const lockOptions = { warn: undefined, abortSignal: host.abortSignal, graceMs: GRACE_MS };
      const release = await acquireLock(host, file, lockOptions);
      try {
        measure(() => {
          const edits = pending;
          pending = [];
          const current = read();
          for (const edit of edits) edit(current);
          writeFileAtomic(file, serialize(current), mode);
        });
      } finally {
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

/** Minimum interval between two writes, also as a multiple of the time of a write: 1,000 changes must not write it 1,000 times. */
const MIN_INTERVAL_MS = 250;
const INTERVAL_FACTOR = 20;

function createWriteInterval(host: Pick<Host, 'now' | 'sleep'>) {
  const now = createMonotonicClock(host.now);
  let nextAt = 0;
  return {
    /** Waits until the next write may start, at most until the signal is aborted. */
    waitForNext: async (signal: AbortSignal): Promise<void> => {
      const delayMs = nextAt - now().getTime();
      if (delayMs > 0) await host.sleep(delayMs, signal);
    },
    /** Runs a write, whose duration determines the next interval. */
    measure: (write: () => void): void => {
      const startedAt = now().getTime();
      try {
        write();
      } finally {
        const endedAt = now().getTime();
        nextAt = endedAt + Math.max(MIN_INTERVAL_MS, INTERVAL_FACTOR * (endedAt - startedAt));
      }
    },
  };
}
