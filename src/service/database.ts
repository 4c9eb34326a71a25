/** Opens the SQLite file behind the embedded service, and refuses what is not such a file. */
import { closeSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { makeFolders } from '../folder/write.ts';

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

type Driver = new (file: string, options: { timeout: number }) => Database;

const SCHEMA_VERSION = 1;
const BUSY_TIMEOUT_MS = 5000;
const OPEN_PATIENCE_MS = 10_000;
const RETRY_MS = 20;

/**
 * A formula's name and the whole formula are JSON: libsql cuts text at a NUL and loses half characters, JSON escapes both.
 * `seq` is the order of creation; AUTOINCREMENT never gives a number twice.
 */
const SCHEMA = `
  CREATE TABLE formulas (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, document TEXT NOT NULL
  );
  CREATE TABLE applications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, type TEXT NOT NULL,
    permissions TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL
  );
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens (or makes) the file; several processes may do so at once.
 * @throws CliError `usage` if libsql is not installed or the file cannot be used; it names the file.
 */
export async function openDatabase(file: string, load: () => Promise<unknown> = loadLibsql): Promise<Database> {
  const Opened = await driver(load);
  // An absolute path: libsql takes `http:` and `libsql:` for addresses of servers.
  const path = resolve(file);
  let database: Database | undefined;
  try {
    makeFile(path);
    database = new Opened(path, { timeout: BUSY_TIMEOUT_MS });
    await patiently(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof CliError ? error : refusal(path, error);
  }
}

/** Runs `work` in a transaction, which is undone when it throws. */
export function inTransaction<T>(database: Database, mode: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
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

/** SQLite's name for what went wrong, such as `SQLITE_CONSTRAINT_UNIQUE`; empty for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

async function loadLibsql(): Promise<unknown> {
  return await import('libsql');
}

async function driver(load: () => Promise<unknown>): Promise<Driver> {
  try {
    const loaded = await load();
    // A CommonJS package: its exports are the class itself or, imported as a module, under `default`.
    return (typeof loaded === 'function' ? loaded : (loaded as { default: unknown }).default) as Driver;
  } catch (cause) {
    const hint = 'install it with: npm install libsql';
    throw new CliError('usage', 'the embedded service needs the package libsql, which is not installed', {
      hint,
      cause,
    });
  }
}

/** Makes folder and file for this user alone. An existing file is not opened: closing it would drop SQLite's locks. */
function makeFile(path: string): void {
  makeFolders(dirname(path), 0o700);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (sqliteCode(error) !== 'EEXIST') throw error;
  }
}

/** SQLite does not always wait by itself while another process switches a new file to WAL. */
async function patiently(database: Database, path: string): Promise<void> {
  const deadline = Date.now() + OPEN_PATIENCE_MS;
  for (;;) {
    try {
      prepareFile(database, path);
      return;
    } catch (error) {
      if (!sqliteCode(error).startsWith('SQLITE_BUSY') || Date.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

function prepareFile(database: Database, path: string): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Looked at before anything is written, so that a file of another program stays as it is.
  if (!inTransaction(database, 'DEFERRED', () => isReady(database, path))) {
    database.exec('PRAGMA journal_mode = WAL');
    inTransaction(database, 'IMMEDIATE', () => {
      // Looked at again under the lock: another process may have been faster.
      if (!isReady(database, path)) database.exec(SCHEMA);
    });
  }
  database.exec('PRAGMA synchronous = FULL');
}

/** True if the file has our tables, false if it is empty. Needs a transaction: it looks twice. */
function isReady(database: Database, path: string): boolean {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > SCHEMA_VERSION) {
    const message = `${path} was made by a newer version of this tool (schema ${version}, known: ${SCHEMA_VERSION})`;
    throw new CliError('usage', message, { hint: 'update the tool, or choose another data file' });
  }
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
  if (version === 0 && tables.length === 0) return false;
  if (version === 0 || !['formulas', 'applications'].every((ours) => tables.some(({ name }) => name === ours))) {
    const message = `${path} is a database of another program`;
    throw new CliError('usage', message, { hint: 'choose another data file' });
  }
  return true;
}

function refusal(path: string, cause: unknown): CliError {
  const code = sqliteCode(cause);
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return new CliError('usage', `${path} is not a database`, { hint: 'choose another data file', cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CliError('usage', `${path} cannot be opened as the data file: ${reason}`, {
    hint: 'choose another data file, or look at the rights of this one',
    cause,
  });
}
