/** Loads libsql (SQLite), an optional package, and runs transactions. */
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../../errors.ts';
import { libsqlError } from './libsql-error.ts';
import { getSqliteCode } from './store-errors.ts';

/** The used part of libsql, whose own types may be missing, because the package is optional. */
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

export interface Wait {
  /** SQLite's own wait, in milliseconds, which blocks signals. */
  busyMs: number;
  /** Ends the waits between attempts. */
  abortSignal?: AbortSignal | undefined;
}

/** For processes without signal handlers. */
export const LONG_WAIT: Wait = { busyMs: 5000 };
/** For processes that handle signals; `retryWhileBusy` makes further attempts. */
export const SHORT_WAIT: Wait = { busyMs: 50 };
const MAX_BUSY_MS = 10_000;
const RETRY_MS = 20;

/** Raises usage (2) if the package cannot be loaded. */
export async function loadDriver(): Promise<Driver> {
  try {
    const loaded: unknown = await import('libsql');
    // A CommonJS package: the class is the exports object or its `default`.
    return (typeof loaded === 'function' ? loaded : (loaded as { default: unknown }).default) as Driver;
  } catch (error) {
    throw libsqlError(error);
  }
}

/** Runs `work` in a transaction, which is rolled back if it throws. */
export function runInTransaction<T>(database: Database, mode: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
  database.exec(`BEGIN ${mode}`);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite rolls back by itself after some errors, such as a full disk.
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Repeats `work` while another process has locked the file: SQLite does not always wait by itself, and its wait blocks
 * signals. Raises interrupted if the signal aborts.
 */
export async function retryWhileBusy<T>(work: () => T, abortSignal?: AbortSignal): Promise<T> {
  const deadline = performance.now() + MAX_BUSY_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      if (abortSignal?.aborted) {
        throw new CliError('interrupted', 'interrupted: another process has locked the data file', { cause: error });
      }
      await delay(RETRY_MS);
    }
  }
}

const isBusy = (error: unknown) =>
  [error, (error as Error).cause].some((one) => getSqliteCode(one).startsWith('SQLITE_BUSY'));

/** Runs libsql and returns its SQLite version. Raises usage (2) if it is unusable. */
export async function readLibsqlVersion(): Promise<string> {
  const Database = await loadDriver();
  try {
    const database = new Database(':memory:', { timeout: 0 });
    const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    database.close();
    return `SQLite ${version}`;
  } catch (error) {
    throw libsqlError(error);
  }
}
