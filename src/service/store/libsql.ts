/** libsql, the SQLite behind the embedded service, as far as it is used; an optional package, loaded when it is needed. */
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../../errors.ts';
import { libsqlError } from './libsql-error.ts';
import { getSqliteCode } from './store-errors.ts';

/** The part of libsql that is used here; the package is optional, so its own types may be missing. */
export interface Database {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

interface Statement {
  run(...values: (string | number | null)[]): { changes: number };
  get(...values: (string | number | null)[]): unknown;
  all(...values: (string | number | null)[]): unknown[];
}

export type Driver = new (file: string, options: { timeout: number }) => Database;

/** How a wait for another process goes. */
export interface Wait {
  /** How long SQLite itself waits, in milliseconds; no signal is heard meanwhile. */
  busyMs: number;
  /** Ends the waits between its attempts. */
  stopping?: AbortSignal | undefined;
}

/** For what a signal may end at any time. */
export const LONG_WAIT: Wait = { busyMs: 5000 };
/** For a process that hears signals: what is busy is attempted again by `patiently`. */
export const HEARING: Wait = { busyMs: 50 };
const PATIENCE_MS = 10_000;
const RETRY_MS = 20;

export async function loadLibsql(): Promise<unknown> {
  return await import('libsql');
}

/** The class of databases. Raises usage (2) where the package cannot be loaded. */
export async function loadDriver(load: () => Promise<unknown>): Promise<Driver> {
  try {
    const loaded = await load();
    // A CommonJS package: its exports are the class itself or, imported as a module, under `default`.
    return (typeof loaded === 'function' ? loaded : (loaded as { default: unknown }).default) as Driver;
  } catch (error) {
    throw libsqlError(error);
  }
}

/** Runs `work` in a transaction, which is undone when it throws. */
export function runInTransaction<T>(database: Database, mode: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
  database.exec(`BEGIN ${mode}`);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has ended the transaction by itself after some errors, such as a full disk.
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Does the work again while another process holds the file: SQLite does not always wait by itself, and when it does, no
 * signal is heard. Raises interrupted where a signal ends the wait.
 */
export async function retryWhileBusy<T>(work: () => T, stopping?: AbortSignal): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      if (stopping?.aborted) {
        throw new CliError('interrupted', 'interrupted: another process holds the data file', { cause: error });
      }
      await delay(RETRY_MS);
    }
  }
}

const isBusy = (error: unknown) =>
  [error, (error as Error).cause].some((one) => getSqliteCode(one).startsWith('SQLITE_BUSY'));
