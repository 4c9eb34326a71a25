/** A file that several commands may change at once: changes are laid over what is there, and it is written whole. */
import { dirname } from 'node:path';
import { makeFolders, writeFileWhole } from '../files/atomic-write.ts';
import type { Host } from '../host/host.ts';
import { steadyClock } from '../host/monotonic-clock.ts';
import { takeTurn } from './write-lock.ts';

export interface SharedFile<T> {
  /** What it held when it was opened, with the changes since. */
  readonly value: T;
  /** Changes the value now, and the file soon: what comes while it is being written, or was just written, goes in together. */
  change(edit: (value: T) => void): void;
  /** Resolves when all changes are in the file. Throws the file system's error that kept one out. */
  saved(): Promise<void>;
}

interface Form<T> {
  /** Reads the file; one that is not there is an empty value. */
  read(): T;
  print(value: T): string;
  /** Mode of the file; folders that are made get the same with x. */
  mode?: number | undefined;
}

/**
 * So long a file is left alone after it was written, in milliseconds, and at least so many times as long as that took: to
 * write it whole for each of 1,000 changes costs more than they do.
 */
const REST_MS = 250;
const REST_TIMES = 20;

/** What was done is noted also after Ctrl-C, unless another command holds the file for as long. */
const GRACE_MS = 2000;

/** Opens a file that may not be there yet. Throws what `read` throws. */
export function openSharedFile<T>(host: Host, file: string, { read, print, mode }: Form<T>): SharedFile<T> {
  const value = read();
  let pending: ((value: T) => void)[] = [];
  let writing: Promise<void> | undefined;
  let failure: unknown;
  const now = steadyClock(host.now);
  let restUntil = 0;
  let hurry = new AbortController();

  const writePending = async () => {
    makeFolders(dirname(file), mode === undefined ? undefined : mode | 0o100);
    while (pending.length > 0) {
      const restMs = restUntil - now().getTime();
      if (restMs > 0 && !hurry.signal.aborted) await host.sleep(restMs, hurry.signal);
      const endTurn = await takeTurn(host, file, { warn: undefined, stopping: host.stopping, graceMs: GRACE_MS });
      const edits = pending;
      pending = [];
      const beganAt = now().getTime();
      try {
        const current = read();
        for (const edit of edits) edit(current);
        writeFileWhole(file, print(current), mode);
      } finally {
        const endedAt = now().getTime();
        restUntil = endedAt + Math.max(REST_MS, REST_TIMES * (endedAt - beganAt));
        endTurn();
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
    saved: async () => {
      hurry.abort();
      await writing;
      hurry = new AbortController();
      if (failure !== undefined) throw failure;
    },
  };
}
