/** A JSON file that several commands may change at the same time: each applies its changes to the current content. */
import { dirname } from 'node:path';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
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
/** Between two writes. */
const INTERVAL_MS = 500;

/** Opens a file, which need not exist. Throws the errors of `read`. */
export function openSharedJson<T>(host: Host, file: string, { read, serialize, mode }: FileFormat<T>): SharedJson<T> {
  const value = read();
  let pending: ((value: T) => void)[] = [];
  let writing: Promise<void> | undefined;
  let failure: unknown;
  let hasWritten = false;
  let flushNow = new AbortController();

  const writePending = async () => {
    makeFolders(dirname(file), mode === undefined ? undefined : mode | 0o100);
    while (pending.length > 0) {
      // 1,000 changes must not write the file 1,000 times.
      if (hasWritten && !flushNow.signal.aborted) await host.sleep(INTERVAL_MS, flushNow.signal);
      const lockOptions = { warn: undefined, abortSignal: host.abortSignal, graceMs: GRACE_MS };
      const release = await acquireLock(host, file, lockOptions);
      try {
        const edits = pending;
        pending = [];
        hasWritten = true;
        const current = read();
        for (const edit of edits) edit(current);
        writeFileAtomic(file, serialize(current), mode);
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
